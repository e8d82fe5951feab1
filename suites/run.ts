import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { explain, SetupError, say } from '../setup/commands.mjs';
import { requireRootForPart } from '../setup/root.mjs';
import { playAgain } from './again.ts';
import { keepDuration, lastDurations } from './durations.ts';
import { gate, longParts, type Part } from './parts.ts';
import { endingSignals, type Outcome, play } from './play.ts';
import { report } from './table.ts';
import { takeTurn } from './turn.ts';

const usage = `npm test                                    the gate, which every change must pass before it is merged
npm run test:all                            the gate, then all other tests
npm run test:all -- --part NAME [FILE]...   a part, or some of its files; --part may be repeated
npm run test:all -- --list                  the parts, and how long each took last time`;

/**
 * The timeout of the gate as a whole, including what is run again, and of each other part. A busy machine takes several
 * times as long as an idle one.
 */
const gateSeconds = 60 * 60;
const partSeconds = 60 * 60;
/**
 * Files of the gate that take longer are reported: they should become long tests, or faster. A file that takes 20 s alone
 * takes about so long beside three others.
 */
const longFileSeconds = 30;
/** How many of the slowest files are listed at the end. */
const mostSlowest = 20;

interface Plan {
  parts: readonly Part[];
  files?: readonly string[];
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        all: { type: 'boolean', default: false },
        part: { type: 'string', multiple: true, default: [] },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new SetupError(error instanceof Error ? error.message : String(error), usage);
  }
}

/** Undefined if the arguments only print something, or are wrong. */
function readPlan(): Plan | undefined {
  const { values, positionals: files } = readArguments();
  const all = [...gate, ...longParts];
  if (values.help) return tell(usage);
  if (values.list) return tell(listed());
  const unknown = values.part.find((name) => !all.some((part) => part.name === name));
  if (unknown !== undefined) {
    const names = all.map(({ name }) => name).join(', ');
    throw new SetupError(`There is no part "${unknown}".`, `The parts are: ${names}.`);
  }
  const asked = all.filter(({ name }) => values.part.includes(name));
  if (files.length > 0 && (asked.length !== 1 || !asked[0]?.hasFiles)) {
    throw new SetupError('To run single files, name one part that has test files.', usage);
  }
  const parts = asked.length > 0 ? asked : values.all ? all : gate;
  return { parts, ...(files.length > 0 && { files }) };
}

function tell(text: string): undefined {
  say(text);
}

function listed(): string {
  const durations = lastDurations();
  const line = (suite: string) => {
    return ({ name, about }: Part) => {
      const seconds = durations[name] === undefined ? '' : `${durations[name]} s`;
      return `${suite}  ${name.padEnd(11)} ${seconds.padStart(7)}  ${about}`;
    };
  };
  return [...gate.map(line('gate')), ...longParts.map(line('long'))].join('\n');
}

function requireRoot({ parts }: Plan): void {
  const part = parts.find(({ needsRoot }) => needsRoot);
  if (part) requireRootForPart(part.name);
}

/**
 * The signal that ended the run early. The current part has then ended too, and no other one
 * begins.
 */
let endedBy: NodeJS.Signals | undefined;

function noteSignals(): void {
  for (const name of endingSignals) {
    process.on(name, () => {
      endedBy ??= name;
    });
  }
}

const isGate = ({ part }: { part: Part }) => gate.includes(part);

/** The seconds that the gate has left. */
const gateLeft = (outcomes: readonly Outcome[]) =>
  outcomes.filter(isGate).reduce((left, { seconds }) => left - seconds, gateSeconds);

async function playAll({ parts, files }: Plan): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const part of parts) {
    if (endedBy) break;
    const endSeconds = isGate({ part }) ? Math.max(1, gateLeft(outcomes)) : partSeconds;
    say(`\n== ${part.name}: ${part.about}`);
    const outcome = await play(part, { ...(files && { files }), endSeconds });
    if (!files && !endedBy && outcome.failures.length === 0)
      keepDuration(part.name, outcome.seconds);
    outcomes.push(outcome);
  }
  return outcomes;
}

async function playAllAgain(outcomes: readonly Outcome[]): Promise<void> {
  for (const outcome of outcomes) {
    const left = () => (isGate(outcome) ? gateLeft(outcomes) : partSeconds);
    await playAgain(outcome, () => (endedBy ? 0 : left()));
  }
}

function tellLongFiles(outcomes: readonly Outcome[]): void {
  const files = outcomes.filter(isGate).flatMap((one) => one.files);
  for (const { file, milliseconds } of files) {
    if (milliseconds / 1000 <= longFileSeconds) continue;
    say(
      `long: ${file} took ${Math.round(milliseconds / 1000)} s; name it *.long.test.ts, or make it faster`,
    );
  }
}

function tellSlowest(outcomes: readonly Outcome[]): void {
  const files = outcomes.flatMap((one) => one.files);
  const slowest = files.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, mostSlowest);
  const line = ({ file, milliseconds }: { file: string; milliseconds: number }) =>
    `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${file}`;
  say(`\nThe slowest files:\n${slowest.map(line).join('\n')}`);
}

try {
  const plan = readPlan();
  if (plan) {
    requireRoot(plan);
    await takeTurn('the tests of Berth', say);
    // Until here, a signal simply ends this process.
    noteSignals();
    const outcomes = await playAll(plan);
    await playAllAgain(outcomes);
    if (!plan.files) tellSlowest(outcomes);
    tellLongFiles(outcomes);
    say(`\n${report(outcomes)}`);
    process.exitCode = outcomes.some(({ failures }) => failures.length > 0) ? 1 : 0;
    if (endedBy) {
      say(`Ended by ${endedBy} before all parts had run.`);
      process.exitCode = 128 + constants.signals[endedBy];
    }
  }
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  explain(error);
  process.exitCode = 2;
}
