import { setTimeout as sleep } from 'node:timers/promises';
import { incus } from '../e2e/incus.ts';
import { type Stack, withStack } from '../e2e/stack.ts';
import { berthApi } from './berth-api.ts';
import { proof, type Side } from './guest.ts';
import { commandLine } from './incus-command-line.ts';
import { compare, report } from './statistics.ts';

const defaultRounds = 5;
const highestRatio = 1.25;
/** The time for the file system to clean up after a removed guest. */
const settleMs = 1000;

/**
 * Compares the time from `POST /v1/servers` to `is_processing: false`, with commands done, to that
 * of Incus's command line for the same guest. They alternate, so that other load on the machine
 * affects both.
 * @param rounds how many times, after one to warm up
 */
export async function benchCreate(rounds = defaultRounds): Promise<boolean> {
  const seconds = await withStack('bench', (stack) => measure(stack, rounds));
  const result = compare(seconds.incus, seconds.berth);
  report('Create a server', { baseline: 'incus command line', measured: 'Berth' }, result);
  console.log(`ratio ${result.ratio.toFixed(2)}, at most ${highestRatio} is asked for`);
  return result.ratio <= highestRatio;
}

async function measure(stack: Stack, rounds: number) {
  const sides = { incus: await commandLine(stack), berth: await berthApi(stack) };
  const seconds = { incus: [] as number[], berth: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    // Each goes first in turn, so that neither always follows the other's clean-up.
    const order = round % 2 === 0 ? (['incus', 'berth'] as const) : (['berth', 'incus'] as const);
    for (const side of order) {
      const taken = await timedCreate(stack, sides[side]);
      console.log(`${round === 0 ? 'warm-up' : `round ${round}`}: ${side} ${taken.toFixed(2)} s`);
      if (round > 0) seconds[side].push(taken);
    }
  }
  return seconds;
}

async function timedCreate(stack: Stack, side: Side): Promise<number> {
  const start = performance.now();
  await side.create();
  const taken = (performance.now() - start) / 1000;
  // Fails when the commands have not been run.
  await incus(stack, ['exec', side.instance(), '--', 'test', '-f', proof]);
  await side.remove();
  await sleep(settleMs);
  return taken;
}
