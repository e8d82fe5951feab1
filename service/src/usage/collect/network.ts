import { card as cardDevice } from '../../instances/labels.ts';
import type { UsageSource } from './source.ts';

/** Where a run of an instance is counted: the host's end of its network card. */
export interface Card {
  /** The interface of the host. */
  hostName: string;
  /** The same name, a space, and when the run began. Incus writes that down a moment after the name. */
  run: string;
  startedAt: Date;
}

/**
 * Bytes that passed the card since the run began, from the guest's point of view, at layer 2: a
 * transfer over TCP shows about 0.1 % more than its payload.
 */
export interface NetworkReading extends Pick<Card, 'run' | 'startedAt'> {
  networkIn: number;
  networkOut: number;
}

/** A card, with what it showed. */
type ReadCard = Card & NetworkReading;

/**
 * Cards by instance, as last seen: Incus makes a new interface for each run. Undefined where none was
 * found. The one that was tried longest ago comes first, so that none that fails is in the way of others.
 */
export type Cards = Map<string, ReadCard | undefined>;

interface Place {
  client: UsageSource;
  /** Of a cluster; null without one. */
  member: string | null;
  signal?: AbortSignal | undefined;
  timeoutSeconds?: number;
}

/** Reads what passed an instance's card; undefined while it has none. Notes the card in `cards`. */
export async function readNetwork(
  place: Place,
  name: string,
  cards: Cards = new Map(),
): Promise<NetworkReading | undefined> {
  const known = cards.get(name);
  // Even if it is the same: the last one that was tried comes last.
  cards.delete(name);
  cards.set(name, known);
  let reading = known && (await readCard(place, known));
  if (!reading || hasFallen(known, reading)) {
    // Of another run: an administrator may have given the interface a name that stays.
    const card = await findCard(place, name);
    reading = card && (await readCard(place, card));
  }
  cards.set(name, reading);
  return reading && readingOf(reading);
}

const hasFallen = (before: ReadCard | undefined, now: ReadCard) =>
  before && (now.networkIn < before.networkIn || now.networkOut < before.networkOut);

const readingOf = ({ run, startedAt, networkIn, networkOut }: ReadCard): NetworkReading => {
  return { run, startedAt, networkIn, networkOut };
};

/** What the host has received on its end is what the guest has sent. */
async function readCard(
  { client, member, signal, timeoutSeconds }: Place,
  { hostName, run, startedAt }: Card,
): Promise<ReadCard | undefined> {
  const options = { signal, timeoutSeconds };
  const state = await client.networks.getState(hostName, member ?? undefined, options);
  if (!state) return undefined;
  const { bytes_received, bytes_sent } = state.counters;
  for (const bytes of [bytes_received, bytes_sent]) {
    if (Number.isSafeInteger(bytes) && bytes >= 0) continue;
    throw new Error(`The card ${hostName} tells of ${bytes} bytes.`);
  }
  return { hostName, run, startedAt, networkIn: bytes_sent, networkOut: bytes_received };
}

async function findCard(
  { client, signal, timeoutSeconds }: Place,
  name: string,
): Promise<Card | undefined> {
  const instance = await client.instances.get(name, { signal, timeoutSeconds });
  const hostName = instance?.config[`volatile.${cardDevice}.host_name`];
  if (!instance || hostName === undefined) return undefined;
  const startedAt = new Date(instance.last_used_at);
  if (Number.isNaN(startedAt.getTime())) throw new Error(`${name} began at no time.`);
  return { hostName, run: `${hostName} ${instance.last_used_at}`, startedAt };
}
