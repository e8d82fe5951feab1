import { parseArgs } from 'node:util';
import { globalSetup, globalTeardown } from '../../service/src/testing/global-setup.ts';
import { changedLines, commitBefore, type Lines } from './changed.ts';
import { codeOf, mutate } from './mutate.ts';
import { addSqlMutators } from './mutators.ts';
import { type Room, rooms } from './rooms.ts';
import { explainedSurvivors, type Mutant, percent, scoreOf } from './survivors.ts';

// npm run mutate: changes the code that holds Berth's promises in one place after the other, and counts
// how often a test of the same folder notices.

const usage = `npm run mutate -- [--room ${Object.keys(rooms).join('|')}]... [--changed 'TIME' [--minutes N]]

  --room     only these; all without it
  --changed  only lines that were changed since then, such as '24 hours ago'
  --minutes  begins nothing more after this time; what is left is counted`;

/** Of a hundred changes, so many are to be noticed. */
const leastPercent = 90;
/** Lines that are tried in one go where the time is short. */
const linesAtOnce = 40;

const { values } = parseArgs({
  options: {
    room: { type: 'string', multiple: true, default: [] },
    changed: { type: 'string' },
    minutes: { type: 'string', default: '600' },
  },
});
const minutes = Number(values.minutes);
const names = values.room.length > 0 ? values.room : Object.keys(rooms);
if (!names.every((name) => Object.hasOwn(rooms, name)) || !(minutes > 0)) {
  console.error(usage);
  process.exit(2);
}

/** What is to be done, in portions: a room, or some changed lines of it. */
function portions(room: Room): (Lines[] | undefined)[] {
  if (values.changed === undefined) return [undefined];
  return changedLines(commitBefore(values.changed), codeOf(room)).flatMap(split);
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
await globalSetup();
try {
  for (const name of names) {
    const room = rooms[name];
    const mutants = room ? await mutateRoom(room) : [];
    if (mutants.length > 0 && !report(name, mutants)) process.exitCode = 1;
  }
  if (left > 0) console.log(`${left} portions were left for want of time.`);
  if (process.exitCode) console.error(`At least ${leastPercent} % are to be noticed.`);
} finally {
  await globalTeardown();
}
