import type { IncusClient } from '../incus/client.ts';
import type { NewInstance } from '../incus/instances.ts';
import { EngineError, isEngineError, lacksTrafficControl } from '../incus/transport/errors.ts';
import { card } from '../instances/labels.ts';
import { pause } from '../lib/pause.ts';
import {
  type Direction,
  type NodeToTry,
  nodesToTry,
  setTrafficLimits,
} from '../locations/limit-queries.ts';
import { networkOf } from '../locations/network.ts';
import type { LocationRow } from '../locations/queries.ts';
import { deleteInstance, settle, stopInstance } from '../servers/engine/engine.ts';
import { limitOf } from '../traffic/throttle.ts';
import type { Subject } from './truth.ts';

const createSeconds = 60;
const startSeconds = 30;
/** For an instance whose start has failed to be stopped by Incus, which takes it two seconds. */
const removalTries = 60;
const betweenTriesMilliseconds = 500;

interface Trying extends Subject {
  /** Of a node that can't be tried now. */
  report(error: unknown): void;
}

type Place = Pick<LocationRow, 'storage_pool' | 'network' | 'network_kind' | 'vlan'>;

/**
 * Tries which limits of traffic the kernels of a location's nodes can enforce, where that is not known. No
 * call of Incus tells it: so an instance without a system is made on the node, with a limited card, and
 * started. Incus sets its card up first, which fails where the kernel has no means for it, and then finds
 * nothing to run. What can't be told, such as while the pool is full, is tried again an hour later.
 */
export async function tryTrafficLimits(trying: Trying, place: Place): Promise<void> {
  // Cards on an OVN network have no limits: the policy is refused there.
  if (place.network_kind === 'ovn') return;
  for (const node of await nodesToTry(trying.db, trying.locationId)) {
    const incoming = await canLimit(trying, place, node, 'incoming');
    const outgoing = await canLimit(trying, place, node, 'outgoing');
    await setTrafficLimits(trying.db, node, { incoming, outgoing });
  }
}

/**
 * Whether the kernel of a node can limit that direction of the traffic of its instances. Null where it
 * can't be told, of which `report` learns.
 */
export async function canLimit(
  { client, signal, report }: Pick<Trying, 'client' | 'signal' | 'report'>,
  place: Place,
  node: Pick<NodeToTry, 'id' | 'member'>,
  direction: Direction,
): Promise<boolean | null> {
  const wanted = limitedInstance(place, node, direction);
  try {
    // An earlier try may have been cut off.
    await remove(client, wanted.name, signal);
    const creation = client.instances.create(wanted, node.member ?? undefined);
    await settle(client, creation, { signal, timeoutSeconds: createSeconds });
    try {
      return await canStart(client, wanted.name, signal);
    } finally {
      await remove(client, wanted.name, signal);
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof EngineError)) throw error;
    report(error);
    return null;
  }
}

/** Whether its card is set up; that there is nothing to run is found only after that. */
async function canStart(client: IncusClient, name: string, signal: AbortSignal) {
  try {
    const start = client.instances.updateState(name, { action: 'start' }, { signal });
    await settle(client, start, { signal, timeoutSeconds: startSeconds });
    return true;
  } catch (error) {
    if (lacksTrafficControl(error)) return false;
    if (error instanceof EngineError && /\bforkstart\b/.test(error.message)) return true;
    throw error;
  }
}

/** Incus stops what has failed to start in its own time, and refuses all else until then. */
async function remove(client: IncusClient, name: string, signal: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      const found = await client.instances.get(name, { signal });
      if (!found) return;
      if (found.status === 'Stopped') return await deleteInstance(client, name, { signal });
      if (found.status === 'Running') await stopInstance(client, name, { signal });
    } catch (error) {
      if (!isEngineError(error, 'busy', 'not_found') || tries >= removalTries) throw error;
    }
    if (tries >= removalTries) throw new EngineError('busy', `Incus does not let go of ${name}.`);
    await pause(betweenTriesMilliseconds, signal);
  }
}

const probePrefix = 'berth-probe-';

/** Whether an instance is one that is made to be tried, and is gone within seconds. */
export const isProbe = (name: string) => name.startsWith(probePrefix);

function limitedInstance(
  place: Place,
  node: Pick<NodeToTry, 'id'>,
  direction: Direction,
): NewInstance {
  const network = networkOf(place);
  const nic =
    network.kind === 'unmanaged'
      ? { nictype: 'bridged', parent: network.name }
      : { network: network.name };
  const limit = { [limitOf[direction]]: '1000Mbit' };
  return {
    name: `${probePrefix}${node.id}-${direction}`,
    description: 'Tries which limits the kernel can enforce. Berth removes it.',
    type: 'container',
    source: { type: 'none' },
    profiles: [],
    config: {},
    devices: {
      root: { type: 'disk', path: '/', pool: place.storage_pool },
      [card]: { type: 'nic', name: card, ...nic, ...limit },
    },
  };
}
