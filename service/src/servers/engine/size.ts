import type { Instance } from '../../incus/instances.ts';
import { EngineError, isEngineError } from '../../incus/transport/errors.ts';
import { fail, type StepResult } from '../../operations/define.ts';
import { bytesOf } from '../../pool-quotas/disk-size.ts';
import { memoryInUse } from '../../usage/collect/memory.ts';
import type { ServerStepContext } from '../define-operation.ts';
import type { ServerSize } from '../queries.ts';
import { findInstance, isRunning, withDiskHeadroom } from './engine.ts';
import { diskSize, sizeLimits } from './instance.ts';

type Context = Pick<ServerStepContext<unknown>, 'incus' | 'log' | 'server' | 'settings' | 'signal'>;
/** Undefined if it was done, otherwise why it can't be done. */
type UnlessDone = Promise<StepResult<never> | undefined>;

/** The size of a server before it is resized, and the wanted one. */
export interface Sizes {
  before: ServerSize;
  wanted: ServerSize;
}

const gibibyte = 2 ** 30;
/**
 * Set by Incus if it will change the size of a disk at the next start, because the disk is in use. It stays when the size
 * is taken back, and so says nothing about a resize that keeps the disk.
 */
const deferredKey = 'volatile.root.apply_quota';

/**
 * Gives an instance, running or not, the wanted size, and confirms that it has it. The disk comes last, because it can't
 * shrink again if something else fails.
 */
export async function setSize(context: Context, found: Instance, sizes: Sizes): UnlessDone {
  const { before, wanted } = sizes;
  const { incus, signal } = context;
  const failure =
    (await setLimits(context, found, wanted)) ?? (await growDisk(context, found, sizes));
  if (failure) return failure;
  const after = await findInstance(incus, found.name, { signal });
  if (!after || !hasLimits(after, wanted) || !hasDisk(after, wanted)) {
    throw new EngineError('failed', 'The engine shows another size than the one that was set.');
  }
  if (wanted.diskGb > before.diskGb) await requireDiskLimit(context, after);
  return undefined;
}

/** Sets the cores and the memory, and what depends on them. */
export async function setLimits(context: Context, found: Instance, wanted: ServerSize): UnlessDone {
  const { incus, server, signal } = context;
  const { name, status, type } = found;
  if (hasLimits(found, wanted)) return undefined;
  const runs = isRunning(status) || status === 'Frozen';
  if (runs && type === 'container' && memoryOf(found) > wanted.ramMb) {
    const used = await memoryInUse({ client: incus, member: server.member, name, signal });
    if (used >= wanted.ramMb) return fail('memory_in_use', inUse(used, wanted.ramMb));
  }
  const { 'limits.cpu': cores = '', ...others } = sizeLimits(wanted, type);
  try {
    // Incus distributes the cores while it still sets the memory, by the configuration that it had before.
    for (const config of [others, { 'limits.cpu': cores }]) {
      if (hasAll(found, config)) continue;
      await withDiskHeadroom(context, found, () =>
        incus.instances.change(name, () => ({ config }), { signal }),
      );
    }
  } catch (error) {
    // Incus can't change everything of a running virtual machine, such as its memory beyond that of its start.
    const isRefused =
      runs && type === 'virtual-machine' && isEngineError(error, 'failed', 'invalid');
    if (isRefused) return fail('server_not_stopped', onlyStopped);
    throw error;
  }
  return undefined;
}

async function growDisk(context: Context, found: Instance, sizes: Sizes): UnlessDone {
  const { incus, signal } = context;
  const { wanted } = sizes;
  if (!hasDisk(found, wanted)) await setDisk(context, found, wanted.diskGb);
  const after = await incus.instances.get(found.name, { signal });
  if (!after || !(await takeBackDeferred(context, after, sizes))) return undefined;
  return fail('server_not_stopped', onlyStopped);
}

/**
 * Takes a larger size of the disk back that would apply from the next start on. Returns whether there was one.
 */
export async function takeBackDeferred(
  context: Context,
  found: Instance,
  { before, wanted }: Sizes,
): Promise<boolean> {
  const grows = wanted.diskGb > before.diskGb;
  if (!grows || found.config[deferredKey] !== 'true') return false;
  await setDisk(context, found, before.diskGb);
  return true;
}

async function setDisk({ incus, signal }: Context, { name }: Instance, diskGb: number) {
  const change = ({ devices }: Instance) => ({
    devices: { root: { ...devices.root, size: diskSize(diskGb) } },
  });
  await incus.instances.change(name, change, { signal });
}

/** Throws if the limit of the disk is another one, as far as this service can read it. */
async function requireDiskLimit({ log, server, settings }: Context, instance: Instance) {
  const guard = await settings.quotaGuardOf(server.locationId);
  if (!guard) return;
  await guard.enforce([instance], (err) =>
    log.warn({ err }, 'The limit of a disk could not be set.'),
  );
  const held = await guard.limitOf(instance);
  if (!held || held.limit === held.size) return;
  throw new EngineError('failed', `The limit of the disk is ${held.limit}, not ${held.size}.`);
}

const hasLimits = (instance: Instance, size: ServerSize) =>
  hasAll(instance, sizeLimits(size, instance.type));

const hasAll = ({ config }: Instance, wanted: Record<string, string>) =>
  Object.entries(wanted).every(([key, value]) => config[key] === value);

/** Whether its disk is at least that large; an administrator may have enlarged it. */
const hasDisk = ({ devices }: Instance, { diskGb }: ServerSize) =>
  (bytesOf(devices.root?.size ?? '') ?? 0) >= diskGb * gibibyte;

/** MiB; infinite if it is not limited. */
function memoryOf({ config }: Instance): number {
  const bytes = bytesOf(config['limits.memory'] ?? '');
  return bytes === undefined ? Number.POSITIVE_INFINITY : bytes / 2 ** 20;
}

/** The part of each size that an instance has, which was to get the wanted one. */
export function sizeHeld(
  { config, devices, type }: Instance,
  { before, wanted }: Sizes,
): ServerSize {
  const limits = sizeLimits(wanted, type);
  const has = (key: string) => config[key] === limits[key];
  return {
    cpu: has('limits.cpu') ? wanted.cpu : before.cpu,
    ramMb: has('limits.memory') ? wanted.ramMb : before.ramMb,
    diskGb: devices.root?.size === diskSize(wanted.diskGb) ? wanted.diskGb : before.diskGb,
  };
}

/**
 * Whether a server whose resize was not seen to end counts as resized: something of it has changed, and it has no more
 * cores or memory than it was to get. One that was to become smaller, and has done so in part, keeps its size.
 */
export function hasGot(held: ServerSize, { before, wanted }: Sizes): boolean {
  return !isSame(held, before) && held.cpu <= wanted.cpu && held.ramMb <= wanted.ramMb;
}

export const isSame = (one: ServerSize, other: ServerSize) =>
  one.cpu === other.cpu && one.ramMb === other.ramMb && one.diskGb === other.diskGb;

const inUse = (usedMb: number, wantedMb: number) =>
  `The server uses ${usedMb} MiB of memory, and would have ${wantedMb} MiB. Free memory in its guest, ask for more, or ` +
  'stop it first.';

const onlyStopped =
  'The engine can set this size only while the server is stopped. Stop it, then resize it.';
