import { freePort } from '../e2e/ports.ts';
import type { Service } from '../e2e/service.ts';
import { beside } from './disturbance.ts';
import { slowestPercent } from './latency.ts';
import { withSimulated } from './simulated.ts';
import { compare, conclude, report } from './statistics.ts';

const defaultRounds = 6;
const highestRatio = 2;
const requests = 400;
const limits = { reads: 100, actions: 5 };
const tooMuch = 10;
/** After this time, its burst is used up. */
const settleMs = 3000;
const startMs = 500;

/**
 * Compares the p99 of a client within its limit to that during a flood of ten times the limit by
 * another. In the baseline the flood goes to a decoy, since its own work slows down a small
 * machine. The client is also measured alone.
 */
export async function benchLimits(rounds = defaultRounds): Promise<boolean> {
  const env = { BERTH_LIMIT_READS: '100/200', BERTH_LIMIT_ACTIONS: '5/20' };
  const p99 = await withSimulated(env, (service) => measure(service, rounds));
  const title = 'p99 of a client within its limit, in milliseconds';
  const plain = compare(p99.alone, p99.here);
  report(title, { baseline: 'alone', measured: 'with a greedy client' }, plain);
  const result = compare(p99.elsewhere, p99.here);
  console.log(`ratio to a client alone: ${plain.ratio.toFixed(2)}`);
  const names = { baseline: 'greedy client on the decoy', measured: 'with a greedy client' };
  return conclude(title, names, result, { of: 'ratio', most: highestRatio });
}

const sides = ['alone', 'elsewhere', 'here'] as const;
type Figures = Record<(typeof sides)[number], number[]>;

async function measure(service: Service, rounds: number): Promise<Figures> {
  const polite = { url: service.url, token: await newToken(service, 'polite') };
  const token = await newToken(service, 'greedy');
  const port = await freePort();
  const rates = [limits.reads, limits.actions].map((limit) => String(limit * tooMuch));
  const alone = async () => ({ measured: await slowestPercent(polite, requests), said: '' });
  const besideGreedy = (url: string) =>
    beside('greedy-client.ts', [url, token, ...rates], settleMs, () =>
      slowestPercent(polite, requests),
    );
  const take = {
    alone,
    elsewhere: async () => {
      const url = `http://127.0.0.1:${port}`;
      return (await beside('decoy.ts', [String(port)], startMs, () => besideGreedy(url))).measured;
    },
    here: () => besideGreedy(service.url),
  };
  const figures: Figures = { alone: [], elsewhere: [], here: [] };
  for (let round = 0; round <= rounds; round += 1) {
    // Each side is measured first equally often, since other load varies.
    for (let turn = 0; turn < sides.length; turn += 1) {
      const side = sides[(round + turn) % sides.length] ?? 'alone';
      const { measured, said } = await take[side]();
      const name = round === 0 ? 'warm-up' : `round ${round}`;
      console.log(`${name}: ${side} ${measured.toFixed(1)} ms ${said}`);
      if (round > 0) figures[side].push(measured);
    }
  }
  return figures;
}

async function newToken({ url, token }: Service, name: string): Promise<string> {
  const response = await fetch(`${url}/v1/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, scopes: ['servers:write'] }),
  });
  if (!response.ok) throw new Error(`No token was created: ${await response.text()}`);
  return ((await response.json()) as { token: string }).token;
}
