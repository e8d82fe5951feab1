import { hashPassword, isPassword } from '../service/src/users/password.ts';
import { compare, report } from './statistics.ts';

const defaultRounds = 50;
const highestRatio = 1.5;

/**
 * How long it takes to find out that a password is not that of a known address, and that an address is unknown: the
 * difference would tell which addresses are known. Other work on the machine only ever makes it longer, so the shortest
 * of each are compared.
 */
export async function benchSignIn(rounds = defaultRounds): Promise<boolean> {
  const known = await hashPassword('the password of somebody');
  // The first one makes the hash that is compared with where there is none.
  await isPassword(undefined, 'not-the-right-one');
  const taken = { known: [] as number[], unknown: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    taken.known.push(await timeOf(known));
    taken.unknown.push(await timeOf(undefined));
  }
  const result = compare(taken.known, taken.unknown);
  const names = { baseline: 'known address', measured: 'unknown address' };
  report('Milliseconds until a password is refused', names, result);
  const asked = `between ${(1 / highestRatio).toFixed(2)} and ${highestRatio} is asked for`;
  const ratio = result.measured.least / result.baseline.least;
  console.log(`ratio of the shortest ${ratio.toFixed(2)}, ${asked}`);
  return ratio <= highestRatio && ratio >= 1 / highestRatio;
}

async function timeOf(stored: string | undefined): Promise<number> {
  const begun = performance.now();
  await isPassword(stored, 'not-the-right-one');
  return performance.now() - begun;
}
