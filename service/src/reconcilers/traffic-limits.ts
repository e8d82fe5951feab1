import type { IncusClient } from '../incus/client.ts';
import type { NewInstance } from '../incus/instances.ts';
import { EngineError, isEngineError, lacksTrafficControl } from '../incus/transport/errors.ts';
import { probeName } from '../instances/helpers.ts';
import { nicDevice } from '../instances/labels.ts';
import { pause } from '../lib/pause.ts';
import {
  type Direction,
  type NodeToTry,
  nodesToTry,
  setTrafficLimits,
} from '../locations/limit-queries.ts';
import { networkOf } from '../locations/network.ts';
import type { LocationRow } from '../locations/queries.ts';
import { awaitOperation, deleteInstance, stopInstance } from '../servers/engine/engine.ts';
import { limitOf } from '../traffic/throttle.ts';
import type { Subject } from './truth.ts';

const createSeconds = 60;
const startSeconds = 30;
/** Incus needs two seconds to stop an instance whose start failed. */
const maxRemovalAttempts = 60;
const betweenTriesMilliseconds = 500;

interface ProbeContext extends Subject {
  /** Reports why a node can't be probed now. */
  report(error: unknown): void;
}

type Place = Pick<LocationRow, 'storage_pool' | 'network' | 'network_kind' | 'vlan'>;

/**
 * Probes which traffic limits the kernels of a location's nodes can enforce, if that is unknown. No
 * call of Incus tells this. So an empty instance with a limited NIC is created on the node and
 * started: Incus sets up the NIC first, which fails without kernel support, and then finds nothing
 * to run. What can't be determined, for example while the pool is full, is probed again an hour
 * later.
 */
export async function probeTrafficLimits(context: ProbeContext, place: Place): Promise<void> {
  // NICs on an OVN network have no limits; the API refuses the policy there.
  if (place.network_kind === 'ovn') return;
  for (const node of await nodesToTry(context.db, context.locationId)) {
    const incoming = await canLimit(context, place, node, 'incoming');
    const outgoing = await canLimit(context, place, node, 'outgoing');
    await setTrafficLimits(context.db, node, { incoming, outgoing });
  }
}

/**
 * Whether the kernel of a node can limit the traffic of its instances in that direction; null if
 * that can't be determined, in which case `report` gets the reason.
 */
export async function canLimit(
  { client, signal, report }: Pick<ProbeContext, 'client' | 'signal' | 'report'>,
  place: Place,
  node: Pick<NodeToTry, 'id' | 'member'>,
  direction: Direction,
): Promise<boolean | null> {
  const wanted = limitedInstance(place, node, direction);
  try {
    // An earlier probe may have been interrupted.
    await remove(client, wanted.name, signal);
    const creation = client.instances.create(wanted, node.member ?? undefined);
    await awaitOperation(client, creation, { signal, timeoutSeconds: createSeconds });
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

/** Whether the NIC could be set up. Incus finds that there is nothing to run only after that. */
async function canStart(client: IncusClient, name: string, signal: AbortSignal) {
  try {
    const start = client.instances.updateState(name, { action: 'start' }, { signal });
    await awaitOperation(client, start, { signal, timeoutSeconds: startSeconds });
  } catch (error) {
    if (lacksTrafficControl(error)) return false;
    if (!(error instanceof EngineError) || !/\bforkstart\b/.test(error.message)) throw error;
  }
  return true;
}

/**
 * After a failed start, Incus stops the instance at its own pace and refuses all other calls until
 * then.
 */
async function remove(client: IncusClient, name: string, signal: AbortSignal): Promise<void> {
  let cause: unknown;
  for (let attempt = 0; attempt < maxRemovalAttempts; attempt += 1) {
    try {
      const found = await client.instances.get(name, { signal });
      if (!found) return;
      if (found.status === 'Stopped') return await deleteInstance(client, name, { signal });
      if (found.status === 'Running') await stopInstance(client, name, { signal });
    } catch (error) {
      if (!isEngineError(error, 'busy', 'not_found')) throw error;
      cause = error;
    }
    await pause(betweenTriesMilliseconds, signal);
  }
  throw new EngineError('busy', `Incus does not let go of ${name}.`, { cause });
}

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
    name: probeName(node.id, direction),
    description: 'Tries which limits the kernel can enforce. Berth removes it.',
    type: 'container',
    source: { type: 'none' },
    profiles: [],
    config: {},
    devices: {
      root: { type: 'disk', path: '/', pool: place.storage_pool },
      [nicDevice]: { type: 'nic', name: nicDevice, ...nic, ...limit },
    },
  };
}
