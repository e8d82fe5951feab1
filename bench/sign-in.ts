import { hashPassword, isPassword } from '../service/src/users/password.ts';
import { compare, report } from './statistics.ts';

const defaultRounds = 50;
const highestRatio = 1.5;

/**
 * Compares the time to reject a wrong password of a known address with that for an unknown address:
 * a difference would reveal which addresses are known. Other load only makes times longer, so the
 * shortest of each are compared.
 */
export async function benchSignIn(rounds = defaultRounds): Promise<boolean> {
  const known = await hashPassword('the password of somebody');
  // The first one creates the hash that is used when there is none.
  await isPassword(undefined, 'not-the-right-one');
  const taken = { known: [] as number[], unknown: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    taken.known.push(await timeOf(known));
    taken.unknown.push(await timeOf(undefined));
  }
  const result = compare(taken.known, taken.unknown);
  const names = { baseline: 'known address', measured: 'unknown address' };
  report('Milliseconds until a password is refused', names, result);
  const asked = `target: between ${(1 / highestRatio).toFixed(2)} and ${highestRatio}`;
  const ratio = result.measured.least / result.baseline.least;
  console.log(`ratio of the shortest ${ratio.toFixed(2)}, ${asked}`);
  return ratio <= highestRatio && ratio >= 1 / highestRatio;
}

async function timeOf(stored: string | undefined): Promise<number> {
  const begun = performance.now();
  await isPassword(stored, 'not-the-right-one');
  return performance.now() - begun;
}
