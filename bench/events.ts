import { setTimeout as sleep } from 'node:timers/promises';
import { dataDirectory, type Service } from '../e2e/service.ts';
import { withClient } from '../service/src/db/connection.ts';
import { joinEmbeddedPostgres } from '../service/src/db/embedded/embedded.ts';
import { beside } from './disturbance.ts';
import { residentMegabytes } from './processor.ts';
import { withSimulated } from './simulated.ts';
import { concludeAlone, percentile } from './statistics.ts';

const defaultRounds = 3;
const subscribers = 1000;
const eventsInRound = 200;
/** Before the memory is measured, so that each stream has what it needs, and no more garbage than that. */
const eventsBefore = 5;
/** Ten events per second, each of which all subscribers get. */
const pauseMs = 100;
const connectMs = 10_000;
/** For the last events to arrive, and for memory to be returned. */
const restMs = 3000;
const most = { delayMs: 200, kilobytes: 50 };

/**
 * Measures how long after it was written an event arrives at 1,000 subscribers of one service, who all get every event,
 * and the memory of each of them.
 */
export async function benchEvents(rounds = defaultRounds): Promise<boolean> {
  const env = {
    // All come from one address, which may have a tenth of the connections, and have one token.
    BERTH_MAX_CONNECTIONS: String(subscribers * 12),
    BERTH_MAX_EVENT_STREAMS: String(subscribers * 10),
  };
  return await withSimulated(env, async (service) => {
    const figures = { p99: [] as number[], kilobytes: [] as number[] };
    await prepare(service);
    for (let round = 0; round <= rounds; round += 1) {
      const before = residentMegabytes(service.pid);
      const { p50, p99, megabytes } = await measure(service);
      const kilobytes = ((megabytes - before) * 1024) / subscribers;
      const shown = `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ${kilobytes.toFixed(1)} KB each`;
      console.log(`${round === 0 ? 'warm-up' : `round ${round}`}: ${shown}`);
      // A service keeps the memory of earlier streams, so that the first round shows what they need.
      if (round === 0) figures.kilobytes.push(kilobytes);
      else figures.p99.push(p99);
    }
    return [
      concludeAlone(`From an event to ${subscribers} subscribers, p99, milliseconds`, figures.p99, {
        most: most.delayMs,
      }),
      concludeAlone(`Memory of each of ${subscribers} subscribers, KB`, figures.kilobytes, {
        most: most.kilobytes,
      }),
    ].every((isMet) => isMet);
  });
}

/** Enters what events can be about, and has the service load what it needs for a first stream. */
async function prepare(service: Service): Promise<void> {
  const { port, token } = service;
  await beside('event-subscribers.ts', [String(port), token, '1'], 1000, () => write(service, 10));
}

async function measure(service: Service) {
  const { port, token, pid } = service;
  const args = [String(port), token, String(subscribers)];
  const { measured, said } = await beside('event-subscribers.ts', args, connectMs, async () => {
    await write(service, eventsBefore);
    await sleep(restMs);
    const megabytes = residentMegabytes(pid);
    await write(service, eventsInRound - eventsBefore);
    await sleep(restMs);
    return megabytes;
  });
  const { open, delays } = JSON.parse(said) as { open: number; delays: number[] };
  if (open !== subscribers) throw new Error(`Only ${open} streams were open at the end.`);
  const expected = subscribers * eventsInRound;
  if (delays.length !== expected)
    throw new Error(`${delays.length} of ${expected} events arrived.`);
  return { p50: percentile(delays, 0.5), p99: percentile(delays, 0.99), megabytes: measured };
}

/** Changes a node, whose triggers write its events. */
async function write({ directory }: Service, count: number): Promise<void> {
  const { connectionString } = await joinEmbeddedPostgres({ dataDir: dataDirectory(directory) });
  await withClient(connectionString, async (client) => {
    for (let number = 0; number < count; number += 1) {
      await client.query('update nodes set cordoned = not cordoned');
      await sleep(pauseMs);
    }
  });
}
