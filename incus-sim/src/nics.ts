import type { Config, Instance, Model, Network } from './model.ts';
import { refuse } from './refusal.ts';

interface Nic {
  name: string;
  network: Network;
  mac: string;
  addresses: string[];
}

/** The network cards of an instance on networks that there are. */
export function nicsOf(model: Model, { devices, config }: Instance): Nic[] {
  return Object.entries(devices).flatMap(([name, device]) => {
    const network = model.networks.get(device.network ?? '');
    if (device.type !== 'nic' || !network) return [];
    const mac = (device.hwaddr ?? config[`volatile.${name}.hwaddr`] ?? '').toLowerCase();
    return [{ name: device.name ?? name, network, mac, addresses: staticAddresses(device) }];
  });
}

function staticAddresses(device: Config): string[] {
  const both = [device['ipv4.address'], device['ipv6.address']];
  return both.filter((address) => address !== undefined && address !== 'none') as string[];
}

/** Incus looks at a start whether another instance has the address, not at a create. */
export function refuseTakenAddresses(model: Model, instance: Instance): void {
  for (const { name, network, mac, addresses } of nicsOf(model, instance)) {
    const wanted = [['MAC', mac], ...addresses.map((ip) => ['IP', ip])];
    for (const [kind, address = ''] of wanted) {
      if ((network.claims.get(address)?.size ?? 0) < 2) continue;
      const taken = `${kind} address "${address}" already defined on another NIC`;
      refuse(`Failed start validation for device "${name}": ${taken}`, 409);
    }
  }
}

export function enterNics(model: Model, instance: Instance): void {
  for (const { network, mac, addresses } of nicsOf(model, instance)) {
    network.users.add(instance);
    for (const address of [mac, ...addresses]) {
      const holders = network.claims.get(address) ?? new Set();
      network.claims.set(address, holders.add(instance));
    }
  }
}

export function removeNics(model: Model, instance: Instance): void {
  for (const { network, mac, addresses } of nicsOf(model, instance)) {
    network.users.delete(instance);
    for (const address of [mac, ...addresses]) {
      const holders = network.claims.get(address);
      holders?.delete(instance);
      if (holders?.size === 0) network.claims.delete(address);
    }
  }
}
