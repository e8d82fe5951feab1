import { benchChanges } from './changes.ts';
import { benchConsole } from './console.ts';
import { benchCreate, benchCreateTen } from './create.ts';
import { benchEvents } from './events.ts';
import { benchHistory } from './history.ts';
import { benchHostile } from './hostile.ts';
import { benchLimits } from './limits.ts';
import { benchLists } from './lists.ts';
import { benchMemory } from './memory.ts';
import { benchMetering } from './metering.ts';
import { benchOperations } from './operations.ts';
import { overview } from './overview.ts';
import { benchPanel } from './panel.ts';
import { benchQueries } from './queries.ts';
import { benchReads } from './reads.ts';
import { benchScale } from './scale.ts';
import { benchSelectors } from './selectors.ts';
import { benchSignIn } from './sign-in.ts';
import { benchSlowSockets } from './slow-sockets.ts';
import { benchStart } from './start.ts';

// npm run bench                  runs the benchmarks of the overview, with few rounds, and prints one table
// npm run bench -- NAME [ROUNDS]  runs one benchmark, mostly against a baseline in the same run
// The exit status is 1 if a result does not meet its target, and 3 if one of the overview is slower than usual.

const benchmarks: Record<string, (rounds?: number) => Promise<boolean>> = {
  changes: benchChanges,
  console: benchConsole,
  create: benchCreate,
  'create-ten': benchCreateTen,
  events: benchEvents,
  history: benchHistory,
  hostile: benchHostile,
  limits: benchLimits,
  lists: benchLists,
  memory: benchMemory,
  metering: benchMetering,
  operations: benchOperations,
  panel: benchPanel,
  queries: benchQueries,
  reads: benchReads,
  scale: benchScale,
  selectors: benchSelectors,
  'sign-in': benchSignIn,
  'slow-sockets': benchSlowSockets,
  start: benchStart,
};

/** Those of the overview with their rounds, which together take less than ten minutes. */
const ofOverview: [run: (rounds?: number) => Promise<boolean>, rounds: number][] = [
  [benchCreate, 3],
  [benchCreateTen, 1],
  [benchReads, 1],
  [benchChanges, 2],
  [benchOperations, 2],
  [benchStart, 2],
  [benchMemory, 1],
];

async function runAll(): Promise<number> {
  let areMet = true;
  for (const [run, rounds] of ofOverview) areMet = (await run(rounds)) && areMet;
  if (!overview()) return 3;
  return areMet ? 0 : 1;
}

const [name, rounds] = process.argv.slice(2);
const benchmark = name !== undefined && Object.hasOwn(benchmarks, name) && benchmarks[name];
const isUsable = name === undefined || (benchmark && /^([1-9]\d{0,3})?$/.test(rounds ?? ''));
if (!isUsable) {
  const names = Object.keys(benchmarks).join(', ');
  console.error(`Usage: npm run bench [-- NAME [ROUNDS]], where NAME is one of: ${names}`);
  process.exitCode = 2;
} else {
  const given = rounds ? Number(rounds) : undefined;
  process.exitCode = benchmark ? Number(!(await benchmark(given))) : await runAll();
}
