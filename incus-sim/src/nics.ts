import type { Config, Devices, Instance, Model, Network, NicLimit } from './model.ts';
import { refuse } from './refusal.ts';

interface Nic {
  name: string;
  network: Network;
  mac: string;
  addresses: string[];
}

/** The NICs of an instance on existing networks. */
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

/**
 * Incus checks when an instance starts, and not when it is created, whether another instance has
 * the address.
 */
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

export function refuseUnknownNetworks(model: Model, devices: Devices, failed: string): void {
  for (const [device, { type, network }] of Object.entries(devices)) {
    if (type !== 'nic' || model.networks.has(network ?? '')) continue;
    refuse(
      `${failed}: Invalid devices: Device validation failed for "${device}": Failed loading device ` +
        `"${device}": Failed to load network "${network}" for project "default": Network not found`,
      404,
    );
  }
}

/**
 * Incus sets limits of a NIC's traffic with `tc`, when the instance starts, and whenever its NIC is
 * changed while it runs. If the kernel does not support a limit, the start or the change fails.
 */
export function refuseLimits(
  model: Model,
  { devices }: Pick<Instance, 'devices'>,
  failed: string,
): void {
  for (const [device, config] of Object.entries(devices)) {
    if (config.type !== 'nic') continue;
    for (const limit of model.lacksLimits) {
      if (config[limit]) refuse(`${failed} device "${device}": ${kernelSays[limit]}`);
    }
  }
}

const kernelSays: Record<NicLimit, string> = {
  'limits.ingress':
    'Failed to create root tc qdisc: Failed to run: tc qdisc add dev veth0 root handle 1:0 htb default 10: ' +
    'exit status 2 (Error: Specified qdisc kind is unknown.)',
  'limits.egress':
    'Failed to create ingress tc filter: Failed to run: tc filter add dev veth0 parent ffff:0 protocol all ' +
    'u32 match u32 0 0 police rate 10000000bit burst 250000 mtu 64kb drop: exit status 2 (Error: Failed to ' +
    'load TC action module.\nWe have an error talking to the kernel)',
};

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
