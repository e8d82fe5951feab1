import { benchCreate, benchCreateTen } from './create.ts';
import { benchHistory } from './history.ts';
import { benchHostile } from './hostile.ts';
import { benchLimits } from './limits.ts';
import { benchMetering } from './metering.ts';
import { benchOperations } from './operations.ts';
import { benchQueries } from './queries.ts';
import { benchReads } from './reads.ts';
import { benchScale } from './scale.ts';
import { benchSignIn } from './sign-in.ts';
import { benchSlowSockets } from './slow-sockets.ts';
import { benchStart } from './start.ts';

// npm run bench -- NAME [ROUNDS]: runs one benchmark, mostly against a baseline in the same run. The exit status is 1
// if the result is worse than its limit.

const benchmarks: Record<string, (rounds?: number) => Promise<boolean>> = {
  create: benchCreate,
  'create-ten': benchCreateTen,
  history: benchHistory,
  hostile: benchHostile,
  limits: benchLimits,
  metering: benchMetering,
  operations: benchOperations,
  queries: benchQueries,
  reads: benchReads,
  scale: benchScale,
  'sign-in': benchSignIn,
  'slow-sockets': benchSlowSockets,
  start: benchStart,
};

const [name = '', rounds] = process.argv.slice(2);
const benchmark = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined;
if (!benchmark || (rounds !== undefined && !/^[1-9]\d{0,3}$/.test(rounds))) {
  const names = Object.keys(benchmarks).join(', ');
  console.error(`Usage: npm run bench -- NAME [ROUNDS], where NAME is one of: ${names}`);
  process.exitCode = 2;
} else if (!(await benchmark(rounds === undefined ? undefined : Number(rounds)))) {
  process.exitCode = 1;
}
