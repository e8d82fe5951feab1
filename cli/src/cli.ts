import { type Berth, createBerth } from '@berth/client';
import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings';
import { chooseContext } from './contexts/choose.ts';
import type { Io } from './io.ts';
import type { Format } from './output/print.ts';
import { printable, type Style, styleFor } from './output/style.ts';
import { createProgress, type Progress } from './progress.ts';
import { version } from './version.ts';

/** The options that all commands have. */
export interface Globals {
  context?: string;
  project?: string;
  output: Format;
}

/** What a verb needs of its surroundings. */
export interface Cli {
  io: Io;
  /** Set before the action of a verb runs. */
  globals: Globals;
  /** The verb that runs, with its options. Undefined before. */
  command: CommandUnknownOpts | undefined;
  /** For `stdout`. */
  style: Style;
  progress: Progress;
  /** The client of the service that the options, the environment or the context name. */
  berth(): Berth;
  /** Writes a result, and the end of the line. */
  print(text: string): void;
  /** Tells people something that is not the result. */
  note(text: string): void;
}

/** A command of a noun. A noun lists its verbs. */
// biome-ignore lint/suspicious/noExplicitAny: the types of arguments and options are known only inside a verb.
export type Verb = (cli: Cli) => Command<any, any, any>;

export function createCli(io: Io): Cli {
  const progress = createProgress(io);
  let berth: Berth | undefined;
  const cli: Cli = {
    io,
    globals: { output: 'table' },
    command: undefined,
    style: styleFor(io.stdout, io.env),
    progress,
    berth() {
      berth ??= connect(cli);
      return berth;
    },
    print: (text) => {
      if (text !== '') io.stdout.write(`${text}\n`);
    },
    note: (text) => {
      io.stderr.write(`${printable(text)}\n`);
    },
  };
  return cli;
}

function connect({ io, globals, progress }: Cli): Berth {
  const { url, token, project } = chooseContext(io, globals.context);
  return connectTo(io, progress, { url, token, project: globals.project ?? project });
}

interface Service {
  url: string;
  token?: string | undefined;
  project?: string | undefined;
  retries?: number | undefined;
}

/** Longer than the longest `Prefer: wait`, and shorter than the limit of Node.js. */
const longestAttemptMs = 120_000;

/** Sends a request once, and fails if its response does not begin in time. */
async function attempt(request: Request): Promise<Response> {
  const late = new AbortController();
  const reason = new Error(`There was no response within ${longestAttemptMs / 1000} seconds.`);
  const timer = setTimeout(() => late.abort(reason), longestAttemptMs);
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, late.signal]) });
  } finally {
    clearTimeout(timer);
  }
}

/** A client whose slow requests are shown, with the pauses after which they are sent again. */
export function connectTo(io: Io, progress: Progress, service: Service): Berth {
  const { host } = new URL(service.url);
  const berth = createBerth({
    ...{ ...service, signal: io.signal, userAgent: `berth-cli/${version}`, fetch: attempt },
  });
  const ends = new Map<string, () => void>();
  const end = ({ id }: { id: string }) => {
    ends.get(id)?.();
    ends.delete(id);
  };
  berth.use({
    onRequest: ({ id }) => {
      ends.set(id, progress.begin(`Waiting for ${host}`));
    },
    onResponse: end,
    onError: end,
  });
  return berth;
}
