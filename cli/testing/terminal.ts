import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearLine, clearScreenDown, cursorTo, type Direction, moveCursor } from 'node:readline';
import { PassThrough } from 'node:stream';
import { after } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { until } from '../../service/src/testing/until.ts';
import type { Io } from '../src/io.ts';
import { run } from '../src/run.ts';

export interface Ended {
  status: number;
  stdout: string;
  stderr: string;
}

interface Surroundings {
  /** What is piped to standard input. */
  input?: string;
  env?: Record<string, string>;
  signal?: AbortSignal;
  /** What a person does with a page that the command opens. Without it, there is no browser. */
  browser?: (page: string) => Promise<void>;
  /** The width of the terminal. */
  columns?: number;
}

/**
 * A home directory of its own, in which commands run one after the other.
 *
 * @param atEnd registers what removes it; by default it is removed after the tests of the file
 */
export function createHome(
  env: Record<string, string> = {},
  atEnd: (remove: () => void) => void = after,
) {
  const home = mkdtempSync(join(tmpdir(), 'berth-home-'));
  atEnd(() => rmSync(home, { recursive: true, force: true }));
  const own = { HOME: home, PATH: process.env.PATH ?? '', ...env };

  /** Runs a command whose input and output are pipes. */
  async function berth(args: string[], more: Surroundings = {}): Promise<Ended> {
    const [stdin, stdout, stderr] = [new PassThrough(), kept(), kept()];
    stdin.end(more.input ?? '');
    const io = ioOf({ stdin, stdout, stderr }, { ...own, ...more.env }, more);
    const status = await run(args, io);
    return { status, stdout: stdout.text(), stderr: stderr.text() };
  }

  /** Starts a command in a terminal, in which one can type. */
  function inTerminal(args: string[], more: Surroundings = {}): Session {
    let isRaw = false;
    const setRawMode = (to: boolean) => {
      isRaw = to;
    };
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode });
    const screen = createScreen(more.columns);
    const io = ioOf({ stdin, stdout: screen, stderr: screen }, { ...own, ...more.env }, more);
    let status: number | undefined;
    let failure: unknown;
    const ending = run(args, io).then(
      (code) => {
        status = code;
      },
      (error) => {
        failure = error;
      },
    );
    const shown = () => stripVTControlCharacters(screen.text());
    let seen = 0;
    const session: Session = {
      raw: screen.text,
      shown,
      async sees(text) {
        const rest = await until(
          `the terminal shows ${text}`,
          () => (status === undefined && !failure ? shown().slice(seen) : `${shown()} (it ended)`),
          (now) => now.includes(text) || now.endsWith(' (it ended)'),
        );
        if (!rest.includes(text))
          throw new Error(`It never showed ${text}: ${rest}`, { cause: failure });
        seen = shown().indexOf(text, seen) + text.length;
      },
      type: (keys) => {
        stdin.write(keys);
      },
      isRaw: () => isRaw,
      resize(columns, rows) {
        Object.assign(screen, { columns, rows });
        screen.emit('resize');
      },
      async answers(question, keys) {
        await session.sees(question);
        session.type(keys);
      },
      async ended() {
        await ending;
        if (failure) throw failure;
        return { status: status ?? Number.NaN, stdout: shown(), stderr: '' };
      },
    };
    return session;
  }

  return { home, berth, inTerminal, contextsFile: join(home, '.config/berth/contexts.json') };
}

export interface Session {
  /** All that was written, with escape sequences. */
  raw(): string;
  /** All that was written, without them. */
  shown(): string;
  /** Waits until a text is shown after what was seen before. */
  sees(text: string): Promise<void>;
  type(keys: string): void;
  /** Whether each key is read as it is pressed. */
  isRaw(): boolean;
  resize(columns: number, rows: number): void;
  /** Waits for a question, and types. */
  answers(question: string, keys: string): Promise<void>;
  ended(): Promise<Ended>;
}

export const enter = '\r';

const hasColors = (_: number, env: object) => !('TERM' in env && env.TERM === 'dumb');

function ioOf(
  streams: Pick<Io, 'stdin' | 'stdout' | 'stderr'>,
  env: Io['env'],
  { signal = new AbortController().signal, browser }: Surroundings,
): Io {
  const openBrowser = async (page: string) => {
    await browser?.(page);
    return browser !== undefined;
  };
  return { ...streams, env, signal, openBrowser };
}

/** A stream with the methods of a terminal, which write escape sequences. */
function createScreen(columns = 120) {
  const stream = kept();
  return Object.assign(stream, {
    ...{ isTTY: true, columns, rows: 40, hasColors },
    cursorTo: (x: number) => cursorTo(stream, x),
    moveCursor: (x: number, y: number) => moveCursor(stream, x, y),
    clearLine: (direction: Direction) => clearLine(stream, direction),
    clearScreenDown: () => clearScreenDown(stream),
    // Like a terminal, it is not ended by what is piped into it.
    end: () => stream,
  });
}

function kept() {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return Object.assign(stream, { text: () => Buffer.concat(chunks).toString() });
}
