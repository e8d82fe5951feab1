import { normalize } from 'node:path';
import { parseArgs } from 'node:util';
import type { Lines } from './changed.ts';
import { rooms } from './rooms.ts';

const usage = `npm run mutate -- [--room ${Object.keys(rooms).join('|')}]...
                   [--changed 'TIME|REFERENCE' | --lines FILE:FROM-TO]...
                   [--sample N] [--seed S] [--minutes N]

  --room     only these; all without it
  --changed  only lines that were changed since then, such as '24 hours ago' or v1.0.0
  --lines    only these, such as service/src/projects/quota.ts:12-15
  --sample   so many changes of each room, drawn at random; all without it
  --seed     of the sample and of the order of the rooms; printed, to repeat a run
  --minutes  begins no other room after this time; those that are left are named`;

/** The directory in which StrykerJS keeps copies of the code. */
export const sandboxes = '.stryker-tmp';

export interface Options {
  /** The names of the rooms. */
  names: string[];
  changed: string | undefined;
  /** Undefined for all. */
  lines: Lines[] | undefined;
  /** Changes of each room; `Infinity` for all. */
  sample: number;
  seed: number;
  minutes: number;
}

/** Reads the options of the command line. If they are wrong, prints the usage and exits with 2. */
export function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      room: { type: 'string', multiple: true, default: Object.keys(rooms) },
      changed: { type: 'string' },
      lines: { type: 'string', multiple: true },
      sample: { type: 'string', default: 'Infinity' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
      minutes: { type: 'string', default: '600' },
    },
  });
  const { room: names, changed } = values;
  const sample = Number(values.sample);
  const seed = Number(values.seed);
  const minutes = Number(values.minutes);
  const areRooms = names.every((name) => Object.hasOwn(rooms, name));
  const areLines =
    !values.lines ||
    (changed === undefined && values.lines.every((text) => linesPattern.test(text)));
  if (areRooms && areLines && sample >= 1 && Number.isSafeInteger(seed) && minutes > 0) {
    return { names, changed, lines: values.lines?.map(linesAt), sample, seed, minutes };
  }
  console.error(usage);
  process.exit(2);
}

const linesPattern = /^(.+):(\d+)-(\d+)$/;

function linesAt(text: string): Lines {
  const [, file = '', from, to] = linesPattern.exec(text) ?? [];
  return { file: normalize(file), from: Number(from), to: Number(to) };
}
