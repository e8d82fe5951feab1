import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../service/src/testing/random.ts';
import { followEvents } from './followers.ts';
import { createStorm, firstPassword, type Storm, type StormCounts } from './storm.ts';
import {
  commandsRanOnce,
  guestsAreCalledSo,
  outcomes,
  passwordsAreSet,
  settle,
} from './verdict.ts';
import type { Target, World } from './worlds.ts';

const shortestStormMs = 100;
const longestStormMs = 1500;

export interface ChaosPlan {
  seed: number;
  /** The parts that are killed, one after the other. */
  kills: Target[];
  say: (text: string) => void;
}

export interface ChaosFigures extends StormCounts {
  kills: number;
  servers: number;
  /** How many events each subscriber got, and how often one connected. */
  events: number;
  streams: number;
  /** How many operations ended, by result. */
  operations: Record<string, number>;
  /** Milliseconds from a part's return until everything is correct: the longest and the median. */
  longestSettling: number;
  medianSettling: number;
}

/** Kills parts of a world during many requests. Throws if something was lost, duplicated or left over. */
export async function unleash(
  world: World,
  { seed, kills, say }: ChaosPlan,
): Promise<ChaosFigures> {
  const random = createRandom(seed);
  const storm = createStorm(world.service, random, world.mostServers);
  const settling: number[] = [];
  await using followers = await followEvents(world);
  for (const [index, target] of kills.entries()) {
    storm.begin();
    await sleep(random.between(shortestStormMs, longestStormMs));
    await world.kill[target]();
    await storm.pause();
    settling.push(await settle(world, storm));
    await followers.check();
    const { accepted } = storm.counts;
    const took = Math.round(settling.at(-1) ?? 0);
    say(`${index + 1}/${kills.length} ${target}: ${accepted} accepted, settled after ${took} ms`);
  }
  await commandsRanOnce(world);
  await guestsAreCalledSo(world);
  await passwordsAreSet(world, storm.passwords, firstPassword);
  await removeAll(world, storm);
  await followers.check();
  const sorted = settling.toSorted((a, b) => a - b);
  return {
    ...storm.counts,
    ...followers.counts(),
    kills: kills.length,
    servers: storm.servers.size,
    operations: await outcomes(world),
    longestSettling: Math.round(sorted.at(-1) ?? 0),
    medianSettling: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
  };
}

/** At the end everything is removed. */
async function removeAll(world: World, storm: Storm): Promise<void> {
  const { url, token } = world.service;
  const headers = { authorization: `Bearer ${token}` };
  for (const id of storm.servers) {
    const answer = await fetch(`${url}/v1/servers/${id}`, { method: 'DELETE', headers });
    if (answer.status !== 202 && answer.status !== 404) throw new Error(await answer.text());
  }
  await settle(world, storm);
  const left = await world.client.instances.list();
  if (left.length > 0) throw new Error(`Not removed: ${left.map(({ name }) => name).join(', ')}`);
}
