import { setTimeout as sleep } from 'node:timers/promises';
import { incus } from '../e2e/incus.ts';
import { type Stack, withStack } from '../e2e/stack.ts';
import { berthApi } from './berth-api.ts';
import { watchSteps } from './create-steps.ts';
import { proof, type Side } from './guest.ts';
import { commandLine } from './incus-command-line.ts';
import { compare, conclude } from './statistics.ts';

interface Case {
  title: string;
  /** How many servers are created at once. */
  count: number;
  /** The highest acceptable ratio of the time of Berth to that of the command line. */
  highestRatio: number;
}

const one: Case = { title: 'Create a server, seconds', count: 1, highestRatio: 0.45 };
const ten: Case = { title: 'Create ten servers at once, seconds', count: 10, highestRatio: 0.3 };
/** The time for the file system to clean up after a removed guest. */
const settleMs = 1000;

/** `rounds`: the number of measured rounds, after one warm-up. */
export const benchCreate = (rounds = 5) => benchCase(one, rounds);
export const benchCreateTen = (rounds = 3) => benchCase(ten, rounds);

/**
 * Compares the time from `POST /v1/servers` until the commands are done and the guests answer by SSH
 * to that of Incus's command line for the same guests. They alternate, so that other load on the
 * machine affects both.
 */
async function benchCase({ title, count, highestRatio }: Case, rounds: number): Promise<boolean> {
  const seconds = await withStack('bench', (stack) => measure(stack, count, rounds));
  const result = compare(seconds.incus, seconds.berth);
  const names = { baseline: 'incus command line', measured: 'Berth' };
  return conclude(title, names, result, { of: 'ratio', most: highestRatio });
}

async function measure(stack: Stack, count: number, rounds: number) {
  const steps = await watchSteps(stack);
  const sides = { incus: await commandLine(stack), berth: await berthApi(stack, steps) };
  const seconds = { incus: [] as number[], berth: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    // Each goes first in turn, so that neither always follows the other's clean-up.
    const order = round % 2 === 0 ? (['incus', 'berth'] as const) : (['berth', 'incus'] as const);
    for (const side of order) {
      const taken = await timedCreates(stack, sides[side], count);
      console.log(`${round === 0 ? 'warm-up' : `round ${round}`}: ${side} ${taken.toFixed(2)} s`);
      if (round > 0) seconds[side].push(taken);
    }
    if (round === 0) steps.clear();
  }
  await steps.report();
  return seconds;
}

/** Returns the seconds until the last one is ready. */
async function timedCreates(stack: Stack, side: Side, count: number): Promise<number> {
  const start = performance.now();
  const guests = await Promise.all(Array.from({ length: count }, (_, index) => side.create(index)));
  const taken = (performance.now() - start) / 1000;
  for (const { instance, remove } of guests) {
    // Fails when the commands have not been run.
    await incus(stack, ['exec', instance, '--', 'test', '-f', proof]);
    await remove();
  }
  await sleep(settleMs);
  return taken;
}
