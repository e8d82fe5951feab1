{{ config_get("cloud-init.vendor-data", properties.default) }}
