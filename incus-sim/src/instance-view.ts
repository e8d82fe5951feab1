import { isOutOfReach } from './members.ts';
import type { Instance, Model } from './model.ts';
import { nicsOf } from './nics.ts';
import { shownStatus } from './power.ts';
import type { Run } from './runs.ts';
import { sizeBytes } from './sizes.ts';

const codes = { Running: 103, Stopped: 102, Frozen: 110 } as const;
const neverAt = '0001-01-01T00:00:00Z';
const mebibyte = 2 ** 20;
const freshDiskBytes = 12 * mebibyte;

/** An instance as Incus lists it. While its member is unreachable, it has few fields. */
export function instanceView(model: Model, instance: Instance) {
  const { project, name, type, member, config, devices } = instance;
  const status = shownStatus(instance);
  const shownConfig = { ...config, ...volatileOf(instance) };
  const known = { name, type, location: member, project: project.name };
  if (isOutOfReach(model, instance)) {
    return { ...known, ...unknown, status: 'Error', status_code: 112 };
  }
  return {
    ...known,
    architecture: 'x86_64',
    config: shownConfig,
    devices,
    ephemeral: instance.ephemeral,
    profiles: instance.profiles,
    stateful: false,
    description: instance.description,
    created_at: instance.createdAt.toISOString(),
    expanded_config: shownConfig,
    expanded_devices: devices,
    status,
    status_code: codes[status],
    last_used_at: instance.lastUsedAt.toISOString(),
  };
}

/**
 * An instance in a list. It has few fields while its member is down, and until the first heartbeat
 * after that.
 */
export function listedView(model: Model, instance: Instance) {
  const view = instanceView(model, instance);
  if (!model.members.get(instance.member)?.isLate) return view;
  return { ...view, ...unknown, status: 'Error', status_code: 112 };
}

/** Keys that Incus sets in the configuration while an instance runs. */
function volatileOf({ devices, run }: Instance): Record<string, string> {
  const [nic] = Object.entries(devices).find(([, { type }]) => type === 'nic') ?? [];
  return run && nic !== undefined ? { [`volatile.${nic}.host_name`]: run.hostName } : {};
}

const unknown = {
  architecture: '',
  config: null,
  devices: null,
  ephemeral: false,
  profiles: null,
  stateful: false,
  description: '',
  created_at: neverAt,
  expanded_config: null,
  expanded_devices: null,
  last_used_at: neverAt,
};

export function instanceStateView(model: Model, instance: Instance) {
  const { run } = instance;
  const status = shownStatus(instance);
  const use = useOf(instance);
  return {
    status,
    status_code: codes[status],
    disk:
      instance.disk === 'whole' || instance.disk === 'partial'
        ? { root: { usage: use.diskBytes, total: use.diskTotalBytes } }
        : {},
    memory: {
      // With the page cache, and so with files in a tmpfs.
      usage: use.memoryBytes + use.sharedBytes,
      usage_peak: use.memoryBytes + use.sharedBytes,
      total: run ? use.memoryTotalBytes : 0,
      swap_usage: 0,
      swap_usage_peak: 0,
    },
    network: run ? networkState(model, instance, run) : null,
    pid: run?.pid ?? 0,
    processes: use.processes,
    cpu: {
      usage: Math.round(use.cpuSeconds * 1e9),
      allocated_time: run ? use.cores * 1e9 : 0,
    },
    started_at: run?.startedAt.toISOString() ?? neverAt,
    os_info: null,
  };
}

function networkState(model: Model, instance: Instance, run: Run) {
  const use = useOf(instance);
  const loopback = {
    addresses: [address('127.0.0.1', 8, 'local'), address('::1', 128, 'local')],
    counters: counters(0, 0),
    hwaddr: '',
    host_name: '',
    mtu: 65536,
    state: 'up',
    type: 'loopback',
  };
  const cards = nicsOf(model, instance).map(({ name, mac, addresses }) => [
    name,
    {
      addresses: run.hasAddresses
        ? [
            ...addresses.map((ip) => address(ip, ip.includes(':') ? 64 : 24, 'global')),
            address(linkLocal(mac), 64, 'link'),
          ]
        : [],
      counters: counters(use.networkIn, use.networkOut),
      hwaddr: mac,
      host_name: run.hostName,
      mtu: 1500,
      state: 'up',
      type: 'broadcast',
    },
  ]);
  return { ...Object.fromEntries(cards), lo: loopback };
}

function address(ip: string, prefix: number, scope: string) {
  return { family: ip.includes(':') ? 'inet6' : 'inet', address: ip, netmask: `${prefix}`, scope };
}

/** The link-local address of a MAC (RFC 4291, appendix A). */
function linkLocal(mac: string): string {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = mac
    .split(':')
    .map((x) => Number.parseInt(x, 16));
  const groups = [((a ^ 2) << 8) | b, (c << 8) | 0xff, 0xfe00 | d, (e << 8) | f];
  return `fe80::${groups.map((group) => group.toString(16)).join(':')}`;
}

/** The counters on the host, whose end of the NIC transmits what the guest receives. */
export function hostInterfaceView(instance: Instance) {
  const use = useOf(instance);
  return { ...idleInterface, counters: counters(use.networkOut, use.networkIn) };
}

/** An interface of the host without traffic. */
export const idleInterface = {
  addresses: [],
  counters: counters(0, 0),
  hwaddr: 'fe:00:00:00:00:01',
  mtu: 1500,
  state: 'up',
  type: 'broadcast',
  bond: null,
  bridge: null,
  vlan: null,
  ovn: null,
};

function counters(received: number, sent: number) {
  return {
    bytes_received: received,
    bytes_sent: sent,
    packets_received: Math.ceil(received / 1000),
    packets_sent: Math.ceil(sent / 1000),
    errors_received: 0,
    errors_sent: 0,
    packets_dropped_outbound: 0,
    packets_dropped_inbound: 0,
  };
}

/** The usage of an instance since its start, which increases while it runs. */
export function useOf({ run, config, devices }: Instance) {
  const seconds = (run?.awakeMs() ?? 0) / 1000;
  const limit = sizeBytes(config['limits.memory'] ?? '1GiB');
  const root = Object.values(devices).find(({ path }) => path === '/');
  return {
    cores: Number(config['limits.cpu'] ?? 1),
    cpuSeconds: run ? 0.2 + seconds * 0.02 : 0,
    memoryTotalBytes: limit,
    memoryBytes: run
      ? Math.min(limit, 40 * mebibyte + Math.round(seconds * 1000) + run.occupied.own)
      : 0,
    sharedBytes: run ? mebibyte + run.occupied.shared : 0,
    diskTotalBytes: sizeBytes(root?.size ?? '10GiB'),
    diskBytes: run ? freshDiskBytes + Math.round(seconds * 100) : freshDiskBytes,
    processes: run ? 9 : 0,
    networkIn: run ? 500 + Math.round(seconds * 2000) + run.moved.incoming : 0,
    networkOut: run ? 90 + Math.round(seconds * 1000) + run.moved.outgoing : 0,
    diskRead: run ? 30 * mebibyte + Math.round(seconds * 500) : 0,
    diskWritten: run ? mebibyte + Math.round(seconds * 4000) : 0,
  };
}
