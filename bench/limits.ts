import type { Service } from '../e2e/service.ts';
import { freePort } from '../e2e/stack.ts';
import { beside } from './disturbance.ts';
import { slowestPercent } from './latency.ts';
import { withSimulated } from './simulated.ts';
import { compare, report } from './statistics.ts';

const defaultRounds = 5;
const highestRatio = 2;
const requests = 400;
const limits = { reads: 100, actions: 5 };
const tooMuch = 10;
/** Its burst is through by then. */
const settleMs = 3000;
const startMs = 500;

/**
 * The p99 of a client that keeps to its limit, beside one that asks ten times as much as it may. The
 * baseline has that one ask somebody else: on a small machine its own work slows everything, too.
 */
export async function benchLimits(rounds = defaultRounds): Promise<boolean> {
  const env = { BERTH_LIMIT_READS: '100/200', BERTH_LIMIT_ACTIONS: '5/20' };
  const { alone, elsewhere, here } = await withSimulated(env, (service) =>
    measure(service, rounds),
  );
  const title = 'p99 of a client within its limit, in milliseconds';
  const plain = compare(alone, here);
  report(title, { baseline: 'alone', measured: 'beside a greedy one' }, plain);
  const result = compare(elsewhere, here);
  const baseline = 'greedy one elsewhere';
  report(title, { baseline, measured: 'beside a greedy one' }, result);
  console.log(`to a client that has the machine to itself: ratio ${plain.ratio.toFixed(2)}`);
  console.log(`ratio ${result.ratio.toFixed(2)}, at most ${highestRatio} is asked for`);
  return result.ratio <= highestRatio;
}

async function measure(service: Service, rounds: number) {
  const polite = { url: service.url, token: await newToken(service, 'polite') };
  const token = await newToken(service, 'greedy');
  const port = await freePort();
  const rates = [limits.reads, limits.actions].map((limit) => String(limit * tooMuch));
  const ask = () => slowestPercent(polite, requests);
  const besideGreedy = (url: string) =>
    beside('greedy-client.ts', [url, token, ...rates], settleMs, ask);
  const sides = { alone: [] as number[], elsewhere: [] as number[], here: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const alone = await ask();
    const decoy = await beside('decoy.ts', [String(port)], startMs, () =>
      besideGreedy(`http://127.0.0.1:${port}`),
    );
    const elsewhere = decoy.measured.measured;
    const { measured: here, said } = await besideGreedy(service.url);
    const shown = [alone, elsewhere, here].map((p99) => `${p99.toFixed(1)} ms`);
    const name = round === 0 ? 'warm-up' : `round ${round}`;
    console.log(`${name}: alone, elsewhere, beside: ${shown.join(', ')}; the greedy one: ${said}`);
    if (round === 0) continue;
    sides.alone.push(alone);
    sides.elsewhere.push(elsewhere);
    sides.here.push(here);
  }
  return sides;
}

async function newToken({ url, token }: Service, name: string): Promise<string> {
  const response = await fetch(`${url}/v1/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, scopes: ['servers:write'] }),
  });
  if (!response.ok) throw new Error(`No token was made: ${await response.text()}`);
  return ((await response.json()) as { token: string }).token;
}
