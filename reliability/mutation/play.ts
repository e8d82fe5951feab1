import { changedLines, commitBefore, type Lines } from './changed.ts';
import { codeOf, mutate } from './mutate.ts';
import { addSqlMutators } from './mutators.ts';
import { readOptions } from './options.ts';
import { type Room, rooms } from './rooms.ts';
import { explainedSurvivors, type Mutant, percent, scoreOf } from './survivors.ts';

// What `npm run mutate` runs on the PostgreSQL that run.ts has started.

/** Of a hundred changes, so many are to be noticed. */
const leastPercent = 90;
/** Lines that are tried in one go where the time is short. */
const linesAtOnce = 40;

const { changed, minutes, names } = readOptions();

/** What is to be done, in portions: a room, or some changed lines of it. */
function portions(room: Room): (Lines[] | undefined)[] {
  if (changed === undefined) return [undefined];
  return changedLines(commitBefore(changed), codeOf(room)).flatMap(split);
}

function split({ file, from, to }: Lines): Lines[][] {
  const starts = Array.from(
    { length: Math.ceil((to - from + 1) / linesAtOnce) },
    (_, index) => from + index * linesAtOnce,
  );
  return starts.map((start) => [{ file, from: start, to: Math.min(start + linesAtOnce - 1, to) }]);
}

const end = performance.now() + minutes * 60_000;
let left = 0;

async function mutateRoom(room: Room): Promise<Mutant[]> {
  const mutants: Mutant[] = [];
  for (const lines of portions(room)) {
    if (performance.now() > end) left += 1;
    else mutants.push(...(await mutate(room, lines)));
  }
  return mutants;
}

function report(name: string, mutants: Mutant[]): boolean {
  const score = scoreOf(mutants, explainedSurvivors());
  for (const { file, line, mutator, original, replacement } of score.unexplained) {
    console.log(`${file}:${line} ${mutator}\n  - ${original}\n  + ${replacement}`);
  }
  const { noticed, counted } = score;
  console.log(`${name}: ${noticed} of ${counted} changes were noticed, ${percent(score)} %.`);
  return percent(score) >= leastPercent;
}

await addSqlMutators();
for (const name of names) {
  const room = rooms[name];
  const mutants = room ? await mutateRoom(room) : [];
  if (mutants.length > 0 && !report(name, mutants)) process.exitCode = 1;
}
if (left > 0) console.log(`${left} portions were left for want of time.`);
if (process.exitCode) console.error(`At least ${leastPercent} % are to be noticed.`);
