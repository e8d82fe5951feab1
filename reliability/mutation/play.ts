import { dropLeftDatabases } from '../../service/src/testing/postgres.ts';
import { createRandom } from '../../service/src/testing/random.ts';
import { changedLines, commitOf } from './changed.ts';
import type { Mutant } from './mutant.ts';
import { codeOf, mutate } from './mutate.ts';
import { addSqlMutators } from './mutators.ts';
import { readOptions } from './options.ts';
import { type Room, rooms } from './rooms.ts';
import {
  explainedSurvivors,
  isTooLow,
  leastPercent,
  percent,
  type Score,
  scoreOf,
  sumOf,
} from './survivors.ts';

// `npm run mutate` runs this on the PostgreSQL that run.ts has started: StrykerJS once per room.

const { changed, lines: wanted, minutes, names, sample, seed } = readOptions();
const since = changed === undefined ? undefined : commitOf(changed);
const end = performance.now() + minutes * 60_000;

async function mutateRoom(room: Room): Promise<Mutant[]> {
  const files = codeOf(room);
  const lines =
    since === undefined
      ? wanted?.filter(({ file }) => files.includes(file))
      : changedLines(since, files);
  return lines?.length === 0 ? [] : await mutate(room, { count: sample, seed }, lines);
}

function print(name: string, score: Score): void {
  const { noticed, counted } = score;
  console.log(`${name}: ${noticed} of ${counted} mutants were detected, ${percent(score)} %.`);
}

/** StrykerJS kills the test file of a detected mutant, whose databases would fill the memory. */
const dropping = setInterval(() => {
  dropLeftDatabases().catch((error) => console.error('A left database was not dropped:', error));
}, 10_000);
await addSqlMutators();
console.log(`Seed ${seed}.`);
const scores: Score[] = [];
const left: string[] = [];
for (const name of createRandom(seed).shuffled(names)) {
  const room = rooms[name];
  if (!room || performance.now() > end) left.push(name);
  else {
    const score = scoreOf(await mutateRoom(room), explainedSurvivors());
    scores.push(score);
    print(name, score);
  }
}
clearInterval(dropping);
if (left.length > 0) console.log(`Not run for lack of time: ${left.join(', ')}.`);
// A sample is judged as a whole, because a few changes in a room are not significant.
const isSample = Number.isFinite(sample);
print('Together', sumOf(scores));
if ((isSample ? [sumOf(scores)] : scores).some((score) => isTooLow(score, isSample))) {
  console.error(`At least ${leastPercent} % must be detected.`);
  process.exitCode = 1;
}
