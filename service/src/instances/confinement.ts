import type { Instance } from '../incus/instances.ts';

type Config = Record<string, string>;

const denyKey = 'security.syscalls.deny';
/** The key for the run of an instance that began before its calls were denied. */
const freeRunLabel = 'user.berth.free_run';

/**
 * The system calls that create subvolumes and snapshots of btrfs, which root of any user namespace
 * may use. The quota of a disk is that of one subvolume, so that data in another one is not counted
 * (linux/btrfs.h). All other calls that affect quotas need a capability that no container has.
 */
const makeSubvolumes = {
  SNAP_CREATE: 0x50009401,
  SUBVOL_CREATE: 0x5000940e,
  SNAP_CREATE_V2: 0x50009417,
  SUBVOL_CREATE_V2: 0x50009418,
};

/**
 * The error of a file system without subvolumes: programs that try, such as systemd, then create a
 * directory.
 */
const inappropriate = 25; // ENOTTY

/** The kernel uses 32 bits of the argument, so the upper bits must not hide the call. */
const lines = Object.values(makeSubvolumes).map(
  (number) =>
    `ioctl errno ${inappropriate} [1,0x${number.toString(16)},SCMP_CMP_MASKED_EQ,0xffffffff]`,
);

/** The configuration of a container whose root can't bypass the quota of its disk. */
export const deniedCalls = { [denyKey]: lines.join('\n') };

type Seen = Pick<Instance, 'type' | 'status' | 'config'>;

/** A policy of an administrator, which replaces all denied calls. */
const ownPolicies = ['raw.seccomp', 'security.syscalls.allow'];

export const hasOwnPolicy = (config: Config) => ownPolicies.some((key) => config[key]);

function deniesAll(config: Config): boolean {
  if (config[denyKey] === deniedCalls[denyKey]) return true;
  const denied = linesOf(config);
  return lines.every((line) => denied.includes(line));
}

/** Whether its configuration must be changed. A virtual machine needs no change, because it has its own kernel. */
export function isToBeConfined({ type, status, config }: Seen): boolean {
  if (type !== 'container' || hasOwnPolicy(config)) return false;
  return !deniesAll(config) || (status === 'Stopped' && Boolean(config[freeRunLabel]));
}

/** Whether its guest is confined in its current run, or, if it is stopped, in its next one. */
export function isConfined({ type, status, config }: Seen): boolean {
  if (type !== 'container') return true;
  if (hasOwnPolicy(config) || !deniesAll(config)) return false;
  const freeRun = config[freeRunLabel];
  return status === 'Stopped' || freeRun === undefined || freeRun !== runOf(config);
}

/** Whether its guest can create subvolumes now, which the quota of its disk does not include. */
export const runsUnconfined = (seen: Seen) => seen.status !== 'Stopped' && !isConfined(seen);

/**
 * The configuration that confines an instance. On a running instance it takes effect at the next start, whoever starts
 * it. Calls that an administrator denies stay denied.
 */
export function confine(seen: Seen): { config?: Config } {
  if (!isToBeConfined(seen)) return {};
  const { status, config } = seen;
  const others = linesOf(config).filter((line) => line && !lines.includes(line));
  const freeRun = status === 'Stopped' ? '' : runOf(config);
  return { config: { [denyKey]: [...others, ...lines].join('\n'), [freeRunLabel]: freeRun } };
}

const linesOf = (config: Config) => (config[denyKey] ?? '').split('\n');

/** The host's end of its only NIC, which has another name in each run. */
function runOf(config: Config): string {
  const ofRun = /^volatile\..+\.host_name$/;
  const [, name] = Object.entries(config).find(([key]) => ofRun.test(key)) ?? [];
  return name ?? 'unknown';
}
