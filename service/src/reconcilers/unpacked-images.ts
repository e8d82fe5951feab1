import type { Leader } from '../db/locks/leader.ts';
import { imageAlias } from '../images/images.ts';
import { nodesForImages, readyImages } from '../images/queries.ts';
import {
  discardPartialImage,
  type ImageVolume,
  isImageReady,
  markImageWhole,
} from '../images/volume.ts';
import type { NewInstance } from '../incus/instances.ts';
import { EngineError, isEngineError } from '../incus/transport/errors.ts';
import { nodeOfUnpack, unpackName } from '../instances/helpers.ts';
import { installationLabel } from '../instances/labels.ts';
import { isDiskAwaited, isUnpackingClaimed, unpackingLock } from '../operations/worker-queries.ts';
import {
  awaitOperation,
  createsInstances,
  deleteInstance,
  isBusy,
} from '../servers/engine/engine.ts';
import type { Subject } from './truth.ts';

const createSeconds = 10 * 60;
/** For a full pool, or an image that can't be unpacked. Each attempt writes a part of the image. */
const failedMilliseconds = 10 * 60_000;
/** An image may be deleted in Incus, and imported again with the same fingerprint. */
const lookAgainMilliseconds = 3_600_000;

type Removal = Pick<Subject, 'client' | 'signal'> & { leader: Pick<Leader, 'ifFree'> };
type Context = Removal &
  Pick<Subject, 'db' | 'locationId'> & { installationId: string; pool: string };
type Node = Awaited<ReturnType<typeof nodesForImages>>[number];

/** What is known of the images of a location, by node and fingerprint. */
export interface UnpackMemory {
  /** When they were last seen to be unpacked. */
  unpacked: Map<string, number>;
  /** Those that the engine failed to unpack, and when. */
  failed: Map<string, { error: EngineError; at: number }>;
  /** A monotonic clock in milliseconds. */
  now: () => number;
}

export const unpackMemory = (now = () => performance.now()): UnpackMemory => ({
  unpacked: new Map(),
  failed: new Map(),
  now,
});

/**
 * Unpacks each image of a location on each of its nodes, so that the first server there is created
 * as quickly as later ones. Incus has no call for this: it unpacks an image when a disk is first made
 * from it. So an instance is created, never started, and deleted. Returns for how many pairs of a node
 * and an image this is known to be done. Throws the first error when all other nodes are done.
 */
export async function unpackImages(context: Context, memory: UnpackMemory): Promise<number> {
  const { db, client, locationId, signal } = context;
  let first: EngineError | undefined;
  for (const slug of await readyImages(db, locationId)) {
    const image = await client.images.getAlias(imageAlias(slug), { signal });
    if (!image) continue;
    for (const node of await nodesForImages(db, locationId)) {
      const error = await unpackOn(context, memory, { node, fingerprint: image.target });
      first ??= error;
    }
  }
  if (first) throw first;
  return memory.unpacked.size;
}

/** Returns the error if the image can't be unpacked there now. */
async function unpackOn(
  context: Context,
  { unpacked, failed, now }: UnpackMemory,
  { node, fingerprint }: { node: Node; fingerprint: string },
): Promise<EngineError | undefined> {
  const key = `${node.id} ${fingerprint}`;
  const isRecent = (at: number, milliseconds: number) => now() - at < milliseconds;
  const seenAt = unpacked.get(key) ?? Number.NEGATIVE_INFINITY;
  if (isRecent(seenAt, lookAgainMilliseconds)) return undefined;
  unpacked.delete(key);
  const { client: incus, pool, signal } = context;
  const image = { incus, pool, member: node.member, fingerprint, signal };
  try {
    if (!(await isImageReady(image))) {
      const last = failed.get(key);
      if (last && isRecent(last.at, failedMilliseconds)) return last.error;
      if (!(await unpackUnlessLocked(context, node, image))) return undefined;
    }
    failed.delete(key);
    unpacked.set(key, now());
    return undefined;
  } catch (error) {
    if (signal.aborted || !(error instanceof EngineError)) throw error;
    if (isEngineError(error, 'no_space', 'failed')) failed.set(key, { error, at: now() });
    return error;
  }
}

/** Returns false if a create or another service works there, so that it is to be tried again. */
async function unpackUnlessLocked(context: Context, node: Node, image: ImageVolume) {
  const unpacked = await context.leader.ifFree(unpackingLock(node.id), (prove) =>
    unpack(context, node, image, prove),
  );
  return unpacked ?? false;
}

/** Needs the lock of the node, which prevents creates from unpacking an image there. */
async function unpack(
  context: Context,
  node: Node,
  image: ImageVolume,
  prove: () => Promise<void>,
): Promise<boolean> {
  const { db, client, locationId, installationId } = context;
  const { pool, member, fingerprint, signal } = image;
  const unpacking = { nodeId: node.id, fingerprint };
  // Other images may have taken long, and the node may be evacuated by now.
  const nodes = await nodesForImages(db, locationId);
  if (!nodes.some(({ id }) => id === node.id)) return false;
  // Creates would otherwise wait for all images of the location, one after the other.
  if (await isDiskAwaited(db, node.id)) return false;
  if (await isUnpackingClaimed(db, unpacking)) return false;
  // The engine continues what an interrupted service or create began.
  if (await createsInstances(client, member, { signal })) return false;
  const name = unpackName(node.id);
  if (!(await clear(context, name))) return false;
  if (await isImageReady(image)) return true;
  await prove();
  await discardPartialImage(image);
  signal.throwIfAborted();
  const instance = instanceOf({ name, pool, fingerprint, installationId });
  const creation = client.instances.create(instance, member ?? undefined);
  const ended = await awaitOperation(client, creation, { signal, timeoutSeconds: createSeconds });
  // The daemon was restarted meanwhile, so the image may be incomplete.
  if (ended.outcome === 'vanished') return false;
  // If the lock was lost, or if a service of an earlier version, which does not use the lock, works
  // on a create, the image may be being unpacked again by now. This is checked immediately before
  // the image is marked.
  await prove();
  const isTheirs = await isUnpackingClaimed(db, unpacking);
  if (!isTheirs) await markImageWhole(image);
  await clear(context, name);
  return !isTheirs;
}

/**
 * Removes the instance of an interrupted unpacking, unless a service is using it. Does not wait for
 * the engine to finish an unpacking.
 */
export async function removeLeftUnpacking(context: Removal, name: string): Promise<void> {
  const nodeId = nodeOfUnpack(name);
  if (nodeId === undefined) return;
  await context.leader.ifFree(unpackingLock(nodeId), () => clear(context, name));
}

/** Removes the instance if it exists. Returns false if the engine has an operation on it. */
async function clear({ client, signal }: Removal, name: string): Promise<boolean> {
  if ((await client.instances.get(name, { signal })) === null) return true;
  if (await isBusy(client, name, { signal })) return false;
  await deleteInstance(client, name, { signal });
  return true;
}

interface Wanted {
  name: string;
  pool: string;
  fingerprint: string;
  installationId: string;
}

/** It has no NIC, because it must never have an address. */
function instanceOf({ name, pool, fingerprint, installationId }: Wanted): NewInstance {
  return {
    name,
    description: 'Unpacks an image ahead of the first server. Berth removes it.',
    type: 'container',
    source: { type: 'image', fingerprint },
    profiles: [],
    config: { [installationLabel]: installationId },
    devices: { root: { type: 'disk', path: '/', pool } },
  };
}
