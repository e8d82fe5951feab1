import { parseArgs } from 'node:util';
import { rooms } from './rooms.ts';

const usage = `npm run mutate -- [--room ${Object.keys(rooms).join('|')}]... [--changed 'TIME' [--minutes N]]

  --room     only these; all without it
  --changed  only lines that were changed since then, such as '24 hours ago'
  --minutes  begins nothing more after this time; what is left is counted`;

/** Where StrykerJS keeps its copies of the code. */
export const sandboxes = '.stryker-tmp';

export interface Options {
  /** Of the rooms. */
  names: string[];
  changed: string | undefined;
  minutes: number;
}

/** The options of the command line. Prints how it is used, and ends the process with 2, where they are wrong. */
export function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      room: { type: 'string', multiple: true, default: [] },
      changed: { type: 'string' },
      minutes: { type: 'string', default: '600' },
    },
  });
  const { room, changed } = values;
  const minutes = Number(values.minutes);
  const names = room.length > 0 ? room : Object.keys(rooms);
  if (names.every((name) => Object.hasOwn(rooms, name)) && minutes > 0) {
    return { names, changed, minutes };
  }
  console.error(usage);
  process.exit(2);
}
