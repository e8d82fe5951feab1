import type { Trx } from '../db/connection.ts';
import { imageAlias } from '../images/images.ts';
import { nodesForImages, readyImages } from '../images/queries.ts';
import {
  discardPartialImage,
  type ImageVolume,
  isImageReady,
  markImageWhole,
} from '../images/volume.ts';
import type { NewInstance } from '../incus/instances.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { claimUnpackingAhead } from '../operations/worker-queries.ts';
import { awaitOperation, createsInstances, deleteInstance } from '../servers/engine/engine.ts';
import type { Subject } from './truth.ts';

const createSeconds = 10 * 60;

type Context = Pick<Subject, 'db' | 'client' | 'locationId' | 'signal'>;
type Node = Awaited<ReturnType<typeof nodesForImages>>[number];

/**
 * Unpacks each image of a location on each of its nodes, so that the first server there is created
 * as quickly as later ones. Incus has no call for this: it unpacks an image when a disk is first made
 * from it. So an instance is created, never started, and deleted. Returns how many images were seen
 * to be unpacked, which `known` remembers. Throws the first error when all other nodes are done.
 */
export async function unpackImages(
  context: Context,
  pool: string,
  known: Set<string>,
): Promise<number> {
  const { db, client: incus, locationId, signal } = context;
  const nodes = await nodesForImages(db, locationId);
  const errors: EngineError[] = [];
  for (const slug of await readyImages(db, locationId)) {
    const image = await incus.images.getAlias(imageAlias(slug), { signal });
    for (const node of image ? nodes : []) {
      const { target: fingerprint = '' } = image ?? {};
      const key = `${node.id} ${fingerprint}`;
      if (known.has(key)) continue;
      const volume = { incus, pool, member: node.member, fingerprint, signal };
      try {
        if (await isUnpacked(context, node, volume)) known.add(key);
      } catch (error) {
        if (signal.aborted || !(error instanceof EngineError)) throw error;
        errors.push(error);
      }
    }
  }
  const [first] = errors;
  if (first) throw first;
  return known.size;
}

/** Whether the image is unpacked in the end; not if a create is about to do that. */
async function isUnpacked({ db, client, signal }: Context, node: Node, image: ImageVolume) {
  const name = unpackName(node);
  const isLeft = (await client.instances.get(name, { signal })) !== null;
  if (!isLeft && (await isImageReady(image))) return true;
  return await db.transaction().execute((trx) => unpack(trx, node, image));
}

async function unpack(trx: Trx, node: Node, image: ImageVolume): Promise<boolean> {
  const { incus, pool, member, fingerprint, signal } = image;
  if (!(await claimUnpackingAhead(trx, { nodeId: node.id, fingerprint }))) return false;
  // The engine goes on with what an interrupted service or create began.
  if (await createsInstances(incus, member, { signal })) return false;
  const name = unpackName(node);
  if (await incus.instances.get(name, { signal })) await deleteInstance(incus, name, { signal });
  if (await isImageReady(image)) return true;
  await discardPartialImage(image);
  signal.throwIfAborted();
  const creation = incus.instances.create(instanceOf(name, pool, fingerprint), member ?? undefined);
  const ended = await awaitOperation(incus, creation, { signal, timeoutSeconds: createSeconds });
  // The daemon was restarted meanwhile, so the image may be incomplete.
  if (ended.outcome === 'vanished') return false;
  // Before the mark, which ends the search for what was left.
  await deleteInstance(incus, name, { signal });
  await markImageWhole(image);
  return true;
}

const prefix = 'berth-unpack-';
const unpackName = ({ id }: Node) => `${prefix}${id}`;

/** Whether an instance was created to unpack an image. It exists for seconds only. */
export const isForUnpacking = (name: string) => name.startsWith(prefix);

/** It has no NIC, because it must never have an address. */
function instanceOf(name: string, pool: string, fingerprint: string): NewInstance {
  return {
    name,
    description: 'Unpacks an image ahead of the first server. Berth removes it.',
    type: 'container',
    source: { type: 'image', fingerprint },
    profiles: [],
    config: {},
    devices: { root: { type: 'disk', path: '/', pool } },
  };
}
