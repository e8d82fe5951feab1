import { globSync, readFileSync } from 'node:fs';
import { filesOfGroup, writeGroups } from './groups.ts';
import { limits, longest } from './limits.ts';

// The parts of both suites. The name or folder of a test file determines its part: `*.long.test.ts`
// takes more than 20 s alone, `*.incus.test.ts` needs a real Incus, and `reliability/` is long as a
// whole.

/** A part of the tests. Parts run one after the other. A failure does not stop a part. */
export interface Part {
  name: string;
  /** What it tests, in a few words. */
  about: string;
  /**
   * The program and its arguments, for the whole part or for some of its test files. With a directory, files of the whole
   * part may run in groups, which are written there.
   */
  command(files?: readonly string[], directory?: string): string[];
  /** Whether single files can be run again. */
  hasFiles: boolean;
  needsRoot?: boolean;
}

const node = process.execPath;
const onPostgres = '--test-global-setup=service/src/testing/global-setup.ts';
const reporter = new URL('reporter.ts', import.meta.url).href;

/** Files that `patterns` match. Those that are slow or need a real Incus are left out, unless a pattern names them. */
function filesOf(patterns: readonly string[]): string[] {
  const isNamed = (word: string) => patterns.some((pattern) => pattern.includes(word));
  const leftOut = ['.long.', '.incus.'].filter((word) => !isNamed(word));
  return globSync(patterns, { exclude: ['**/node_modules/**'] })
    .filter((file) => !leftOut.some((word) => file.includes(word)))
    .sort();
}

interface TestOptions {
  /** The timeout of a test. */
  seconds?: number;
  /** More arguments of `node --test`. */
  args?: string[];
  /** Whether files run in groups, each in one process. */
  inGroups?: boolean;
  /** How many files run at the same time. */
  filesAtATime?: number;
}

function tests(
  name: string,
  about: string,
  patterns: string[],
  { seconds = longest.gate, args = [], inGroups = false, filesAtATime = 4 }: TestOptions = {},
): Part {
  return {
    ...{ name, about, hasFiles: true },
    command: (some, directory) => {
      const files = some ?? filesOf(patterns);
      const isGrouped = inGroups && !some && directory !== undefined;
      return [
        node,
        ...[
          '--test',
          `--test-concurrency=${filesAtATime}`,
          ...limits(seconds, isGrouped ? seconds * filesOfGroup : undefined),
        ],
        `--test-reporter=${reporter}`,
        ...args,
        ...(isGrouped ? writeGroups(files, directory) : files),
      ];
    },
  };
}

function onRealIncus(name: string, about: string, patterns: string[]): Part {
  return {
    ...{ name, about, hasFiles: true, needsRoot: true },
    command: (files = filesOf(patterns)) => [node, 'e2e/run.ts', ...files],
  };
}

function script(name: string, about: string, ...args: string[]): Part {
  return { name, about, hasFiles: false, command: () => ['npm', 'run', '-s', ...args] };
}

/** Each of these files keeps both processors busy. Those of the gate wait for half of their time. */
const long = (...args: string[]) => ({ seconds: longest.long, args, filesAtATime: 2 });
const contract = ['incus-sim/contract/*.test.ts'];
/** With the slow ones, which the second pattern names. */
const anyOfService = ['service/src/**/*.test.ts', 'service/src/**/*.long.test.ts'];

/** `npm test`: the parts that every change must pass before it is merged. */
export const gate: readonly Part[] = [
  script('checks', 'format, lint, types, imports, openapi.json', 'check'),
  tests(
    'service',
    'unit and API tests on PostgreSQL',
    [
      '{contract,service,client,cli,panel}/src/**/*.test.ts',
      'incus-sim/tests/*.test.ts',
      'bench/*.test.ts',
      '{setup,site,suites}/**/*.test.{ts,mjs}',
    ],
    { args: [onPostgres], inGroups: true },
  ),
  tests('contract', 'the behaviour of Incus on which Berth depends, on the simulator', contract),
  onRealIncus('guests', 'real servers: the session of a user, secrets, isolation', [
    'e2e/*.test.ts',
  ]),
];

/** The parts that `npm run test:all` runs after the gate. */
export const longParts: readonly Part[] = [
  tests(
    'slow',
    'slow tests of the service',
    ['{service,client,cli,incus-sim,panel,site}/**/*.long.test.ts'],
    long(onPostgres),
  ),
  tests('reliability', 'each step with each fault', ['reliability/**/*.test.ts'], long(onPostgres)),
  onRealIncus('e2e', 'the other tests with real servers', ['e2e/*.long.test.ts']),
  onRealIncus('engine', 'the behaviour of Incus on which Berth depends, on a real Incus', [
    ...contract,
    'service/src/**/*.incus.test.ts',
  ]),
  {
    ...script('cluster', 'scenarios on a real cluster of three members', 'test:cluster'),
    needsRoot: true,
  },
  script(
    'fuzz',
    '50,000 requests generated from openapi.json',
    'fuzz',
    '--',
    '--requests',
    '50000',
  ),
  script(
    'chaos',
    'parts of Berth killed during many requests, with a new seed',
    'chaos',
    '--',
    '--kills',
    '20',
  ),
  {
    ...{ name: 'properties', about: 'property tests with a new seed', hasFiles: true },
    command: (files = filesOf(anyOfService).filter(hasProperties)) =>
      tests('', '', [], long(onPostgres, '--import=./suites/new-seed.ts')).command(files),
  },
  script(
    'mutation',
    'mutation tests of a sample of the lines changed this week',
    ...['mutate', '--', '--changed', '7 days ago', '--sample', '6', '--minutes', '6'],
  ),
];

const hasProperties = (file: string) => readFileSync(file, 'utf8').includes("from 'fast-check'");
