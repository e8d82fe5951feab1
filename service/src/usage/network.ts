import { card as cardDevice } from '../servers/instance.ts';
import type { UsageSource } from './source.ts';

/** Where a run of an instance is counted: the host's end of its network card. */
export interface Card {
  /** The interface of the host. */
  hostName: string;
  /** Names the run: its counters begin at 0, and no other run has them. */
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

/**
 * Cards by instance, as last seen: Incus makes a new interface for each run. Undefined where none was
 * found. The one that was tried longest ago comes first, so that none that fails is in the way of others.
 */
export type Cards = Map<string, Card | undefined>;

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
  const reading = known && (await readCard(place, known));
  if (reading) return reading;
  const card = await findCard(place, name);
  cards.set(name, card);
  return card && (await readCard(place, card));
}

/** What the host has received on its end is what the guest has sent. */
async function readCard(
  { client, member, signal, timeoutSeconds }: Place,
  { hostName, run, startedAt }: Card,
): Promise<NetworkReading | undefined> {
  const options = { signal, timeoutSeconds };
  const state = await client.networks.getState(hostName, member ?? undefined, options);
  if (!state) return undefined;
  const { bytes_received, bytes_sent } = state.counters;
  return { run, startedAt, networkIn: bytes_sent, networkOut: bytes_received };
}

async function findCard(
  { client, signal, timeoutSeconds }: Place,
  name: string,
): Promise<Card | undefined> {
  const instance = await client.instances.get(name, { signal, timeoutSeconds });
  const hostName = instance?.config[`volatile.${cardDevice}.host_name`];
  if (!instance || hostName === undefined) return undefined;
  // With its start: an administrator may have given the interface a name that stays.
  const run = `${hostName} ${instance.last_used_at}`;
  return { hostName, run, startedAt: new Date(instance.last_used_at) };
}
