import { isIP } from 'node:net';
import type { Instance, InstanceState } from '../../incus/instances.ts';
import type { Project } from '../../incus/projects.ts';
import { installationLabel, labelsOf, nicDevice } from '../../instances/labels.ts';
import type { LocationNetwork } from '../../locations/network.ts';
import { bytesOf } from '../../pool-quotas/disk-size.ts';

/** What a server would have if it were made of an instance that is there already. */
export interface InstanceFacts {
  /** The MAC address of its network interface; null if it has none. */
  mac: string | null;
  cpu: number | null;
  /** MiB. */
  ramMb: number | null;
  /** GiB, rounded up. */
  diskGb: number | null;
  /** Without link-local ones. */
  addresses: string[];
  /** Why it can't be adopted as it is, in sentences. */
  obstacles: string[];
}

/** Where the servers of the location are. */
export interface Place {
  network: LocationNetwork;
  pool: string;
}

type Device = Record<string, string>;

const mebibyte = 2 ** 20;
const gibibyte = 2 ** 30;

/** What a server would have if it were made of this instance. `state` is that of a running one, if it was read. */
export function factsOf(
  instance: Instance,
  state: InstanceState | null,
  place: Place,
): InstanceFacts {
  const config = instance.expanded_config ?? instance.config;
  const devices = instance.expanded_devices ?? instance.devices;
  const nics = Object.entries(devices).filter(([, { type }]) => type === 'nic');
  const [[nicName, nic] = []] = nics;
  const root = Object.entries(devices).find(
    ([, { type, path }]) => type === 'disk' && path === '/',
  );
  const bytes = bytesOf(root?.[1].size ?? '');
  const memory = bytesOf(config['limits.memory'] ?? '');
  const guestName = nic?.name ?? nicName;
  const fixed = fixedAddresses(nic);
  return {
    mac: (nic?.hwaddr ?? config[`volatile.${nicName}.hwaddr`])?.toLowerCase() ?? null,
    cpu: wholeNumber(config['limits.cpu']),
    ramMb: memory === undefined ? null : Math.floor(memory / mebibyte) || null,
    diskGb: bytes === undefined ? null : Math.ceil(bytes / gibibyte) || null,
    addresses: fixed.length > 0 ? fixed : usedAddresses(state, guestName),
    obstacles: [
      ...ofKind(instance),
      ...ofSettings(config),
      ...ofNics(nics, place.network),
      ...ofRoot(root, place.pool),
      ...ofOthers(devices, nicName, root?.[0]),
    ],
  };
}

/** Why an instance of another Incus project can't be adopted, in addition to what `factsOf` says. */
export function foreignObstacles(
  { config, project: of }: Instance,
  project: Project | null,
  installationId: string,
): string[] {
  const { installation } = labelsOf({ config });
  const hasNetworks = of !== 'default' && project?.config['features.networks'] === 'true';
  return [
    ...(hasNetworks
      ? [`Its network is one of the Incus project ${of}, and not that of the location.`]
      : []),
    ...(installation === undefined || installation === installationId
      ? []
      : [`It belongs to another installation of Berth. If not, remove ${installationLabel}.`]),
  ];
}

/** Whether its addresses can only be known from its guest. */
export function needsState(instance: Instance): boolean {
  const devices = instance.expanded_devices ?? instance.devices;
  const nic = Object.values(devices).find(({ type }) => type === 'nic');
  return instance.status === 'Running' && nic !== undefined && fixedAddresses(nic).length === 0;
}

function fixedAddresses(nic: Device | undefined): string[] {
  const both = [nic?.['ipv4.address'], nic?.['ipv6.address']];
  return both.filter((one): one is string => one !== undefined && isIP(one) !== 0);
}

function usedAddresses(state: InstanceState | null, nic: string | undefined): string[] {
  const { addresses = [] } = state?.network?.[nic ?? ''] ?? {};
  return addresses.filter(({ scope }) => scope === 'global').map(({ address }) => address);
}

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : null;
}

function ofKind({ ephemeral, type }: Instance): string[] {
  if (type !== 'container')
    return ['It is a virtual machine. Berth has no servers of this kind yet.'];
  if (!ephemeral) return [];
  return [
    'It is ephemeral: Incus deletes it when it stops. Set `ephemeral: false` in `incus config edit`.',
  ];
}

/** Settings that decide what the guest, or Berth, may do with it, beside those that Berth sets. */
const tooSpecial =
  /^raw\.|^security\.syscalls\.(allow$|intercept\.)|^security\.protection\.(delete|start)$/;

function ofSettings(config: Record<string, string>): string[] {
  const isSet = (value: string | undefined) => value && !/^(false|0|no|off)$/i.test(value);
  const special = Object.keys(config).filter((key) => isSet(config[key]) && tooSpecial.test(key));
  return special.map((key) => `It has the setting ${key}, which a server cannot have. Remove it.`);
}

function ofNics(nics: [name: string, device: Device][], network: LocationNetwork): string[] {
  const [[name, nic] = []] = nics;
  if (!nic || nics.length > 1)
    return [`It has ${nics.length} network interfaces, and a server has exactly one.`];
  const called = nic.name ?? name;
  return [
    ...(isOn(nic, network)
      ? []
      : [`Its network interface is not on ${network.name}, the network of the location.`]),
    ...(called === nicDevice
      ? []
      : [`Its network interface is called ${called}. That of a server is called ${nicDevice}.`]),
  ];
}

function isOn(nic: Device, network: LocationNetwork): boolean {
  if (network.kind !== 'unmanaged') return (nic.network ?? nic.parent) === network.name;
  const { parent, vlan } = nic;
  return parent === network.name && (vlan ?? null) === (network.vlan?.toString() ?? null);
}

function ofRoot(root: [name: string, device: Device] | undefined, pool: string): string[] {
  if (!root) return ['It has no disk.'];
  const [name, device] = root;
  return [
    ...(name === 'root'
      ? []
      : [`Its disk is the device ${name}. That of a server is called root.`]),
    ...(device.pool === pool
      ? []
      : [
          `Its disk is in the storage pool ${device.pool}. Move it to ${pool}, the storage pool of the location.`,
        ]),
  ];
}

function ofOthers(devices: Record<string, Device>, nic = '', root = ''): string[] {
  const others = Object.entries(devices).filter(
    ([name, { type }]) => name !== nic && name !== root && type !== 'none' && type !== 'nic',
  );
  return others.map(
    ([name]) =>
      `It has the device ${name}. A server has one disk and one network interface, so remove the device.`,
  );
}
