import type { OperatingSystemType } from '../db/schema/schema.ts';

/** An address of a guest, in its network configuration. */
export interface GuestAddress {
  ip: string;
  prefixLength: number;
  gateway: string;
  nameservers: string[];
}

interface Named {
  hostname: string;
  passwordLogin?: boolean;
}

/**
 * cloud-init's user-data. It holds no secret: anyone who may read the instance's configuration
 * reads it. JSON is YAML, and nothing in a JSON string can break out of it.
 */
export function userData(named: Named): string {
  return cloudConfig(ownSettings(named));
}

/**
 * The same as vendor-data, which the user data of the customer takes precedence over. In a guest that starts from files,
 * cloud-init must not replace these.
 */
export function vendorData(named: Named, startsFromFiles: boolean): string {
  const keepsFiles = { manage_etc_hosts: false, ssh_deletekeys: false };
  return cloudConfig({ ...ownSettings(named), ...(startsFromFiles && keepsFiles) });
}

function ownSettings({ hostname, passwordLogin = true }: Named) {
  return {
    hostname: hostname.split('.', 1)[0],
    // Without it, cloud-init generates a full name from the name of the instance.
    fqdn: hostname,
    prefer_fqdn_over_hostname: false,
    manage_etc_hosts: true,
    // "false" keeps the locale of the image, and a list of no names creates no users. cloud-init 22.4 warns about `false`
    // and about an empty list, because its schema lacks them.
    locale: 'false',
    users: [[]],
    disable_root: false,
    ssh_pwauth: passwordLogin,
    // Generating an RSA key takes longer than everything else that cloud-init does.
    ssh_genkeytypes: ['ed25519', 'ecdsa'],
    ssh: { emit_keys_to_console: false },
    no_ssh_fingerprints: true,
  };
}

/**
 * cloud-init's network-config, version 2, for one interface with static addresses. A virtual
 * machine's interface is found by its MAC. A container's is named by the engine, and has no permanent MAC, which
 * netplan would need to match it.
 */
export function networkConfig({
  type,
  mac,
  addresses,
}: {
  type: OperatingSystemType;
  mac: string;
  addresses: GuestAddress[];
}): string {
  const byMac = { match: { macaddress: mac.toLowerCase() }, 'set-name': 'eth0' };
  const eth0 = {
    ...(type === 'virtual-machine' && byMac),
    dhcp4: false,
    dhcp6: false,
    'accept-ra': false,
    addresses: addresses.map(({ ip, prefixLength }) => `${ip}/${prefixLength}`),
    routes: defaultRoutes(addresses),
    nameservers: { addresses: [...new Set(addresses.flatMap((a) => a.nameservers))] },
  };
  return `${JSON.stringify({ version: 2, ethernets: { eth0 } }, null, 2)}\n`;
}

function cloudConfig(config: object): string {
  return `#cloud-config\n${JSON.stringify(config, null, 2)}\n`;
}

/** One default route per family, by its first address. */
function defaultRoutes(addresses: GuestAddress[]) {
  const routes = new Map<string, { to: string; via: string; 'on-link': true }>();
  for (const { gateway } of addresses) {
    const to = gateway.includes(':') ? '::/0' : '0.0.0.0/0';
    if (!routes.has(to)) routes.set(to, { to, via: gateway, 'on-link': true });
  }
  return [...routes.values()];
}
