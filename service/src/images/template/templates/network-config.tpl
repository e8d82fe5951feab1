{{ config_get("cloud-init.network-config", properties.default) }}
