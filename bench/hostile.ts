import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { attackAll } from './attacks.ts';
import { changesLimit } from './growth.ts';
import { benchHostileReads } from './hostile-reads.ts';
import { hostileRequests } from './hostile-requests.ts';
import { enterHostileRows, enterMeteredServers } from './hostile-rows.ts';
import { hostileTargets } from './hostile-targets.ts';
import type { HostileRequest } from './raw-request.ts';
import { withSimulated } from './simulated.ts';
import { holdDuring, watchedLoop } from './watched-loop.ts';

const defaultRounds = 40;
/** A request that was below this in so many measurements is not measured again. */
const surely = { ms: 10, times: 3 };
const answerMs = 60_000;
/** If nothing arrives for this time, a response is complete. */
const quietMs = 50;

/**
 * Measures how long each request blocks the event loop of the service, and then how many requests
 * of one customer, and many addresses, affect another one. Other load only makes the times longer,
 * so the shortest of several is the cost of the request itself.
 */
export async function benchHostile(rounds = defaultRounds): Promise<boolean> {
  using stack = new DisposableStack();
  const loop = stack.use(watchedLoop());
  const env = {
    ...loop.env,
    BERTH_METRICS_SERVERS: 'true',
    BERTH_LIMIT_CHANGES: changesLimit,
  };
  return await withSimulated(env, async (service) => {
    const { port, token } = service;
    await enterMeteredServers(service);
    const idle = await shortest(rounds, () => holdDuring(loop, () => sleep(50)));
    console.log(`idle: ${idle.toFixed(1)} ms`);
    const requests = hostileRequests(token);
    const figures: { name: string; status: number; ms: number }[] = [];
    for (const request of requests) {
      let status = 0;
      const ms = await shortest(rounds, () =>
        holdDuring(loop, async () => {
          status = await send(port, request);
        }),
      );
      figures.push({ name: request.name, status, ms });
    }
    figures.sort((a, b) => b.ms - a.ms);
    for (const { name, status, ms } of figures) {
      console.log(`${ms.toFixed(1).padStart(7)} ms  ${status}  ${name}`);
    }
    const worst = figures[0]?.ms ?? 0;
    console.log(
      `${requests.length} requests; the longest hold ${worst.toFixed(1)} ms (target: at most ${hostileTargets.holdMs})`,
    );
    const customers = await enterHostileRows(service);
    const areReadsHarmless = await benchHostileReads(service, customers, loop.longestMs);
    const isHeldOff = await attackAll(service, customers.other, loop.longestMs);
    return worst <= hostileTargets.holdMs && areReadsHarmless && isHeldOff;
  });
}

async function shortest(rounds: number, measure: () => Promise<number>): Promise<number> {
  const held: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    held.push(await measure());
    if (held.filter((ms) => ms < surely.ms).length === surely.times) break;
  }
  return Math.min(...held);
}

/** Returns the status of the response; throws if there is none. */
async function send(port: number, { name, bytes }: HostileRequest): Promise<number> {
  const socket = connect(port, '127.0.0.1').setTimeout(answerMs, () => socket.destroy());
  socket.on('error', () => undefined);
  socket.write(bytes);
  const [first] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [unknown];
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(String(first)) ?? [];
  if (status === undefined) throw new Error(`There was no response to: ${name}.`);
  // The service also spends time on the rest of the response.
  for (let before = 0; socket.bytesRead > before; ) {
    before = socket.bytesRead;
    await sleep(quietMs);
  }
  socket.destroy();
  return Number(status);
}
