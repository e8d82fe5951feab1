import { setTimeout as sleep } from 'node:timers/promises';
import { startInstallation } from '../../cli/testing/installation.ts';
import { createHome } from '../../cli/testing/terminal.ts';
import { newPublicKey } from '../../service/src/testing/ssh-keys.ts';
import { createScreen, type Line } from './screen.ts';

export const size = { columns: 110, rows: 16 };

/** What a viewer sees, and for how long. */
export interface Frame {
  lines: Line[];
  ms: number;
}

export interface Recording {
  frames: Frame[];
  /** The commands and what they print, as text. */
  transcript: string[];
}

interface Command {
  args: string;
  /** What is typed at a question. */
  answer?: { to: string; keys: string };
}

const commands: Command[] = [
  { args: 'size list' },
  {
    args: 'server create web-1 --location local --os debian-12 --size small --ssh-key laptop --no-password-login',
  },
  { args: 'server list' },
  { args: 'server stop web-1' },
  { args: 'server delete web-1', answer: { to: 'Continue?', keys: 'y\r' } },
];

/** As in a person's terminal, so that a viewer sees the progress. */
export const slow = {
  create: 900,
  start: 500,
  network: 700,
  boot: 1200,
  shutdown: 1200,
  delete: 600,
};

const prompt = '\u001b[32m$\u001b[0m ';
const times = { key: 90, keysAtOnce: 4, progress: 240, rest: 1600, last: 4000 };

/** Runs the commands in a terminal, on the simulator. */
export async function record(timing: Partial<typeof slow> = {}): Promise<Recording> {
  await using stack = new AsyncDisposableStack();
  const { url, token, simulator, close } = await startInstallation();
  stack.defer(close);
  const env = { BERTH_URL: url, BERTH_TOKEN: token };
  const { berth, inTerminal } = createHome(env, (remove) => stack.defer(remove));
  const prices = ['--hourly', '0.0074', '--monthly', '4.59', '--currency', 'EUR'];
  const small = ['--cpu', '1', '--ram', '1G', '--disk', '10G', ...prices];
  await berth(['size', 'create', 'small', ...small]);
  await berth(['ssh-key', 'create', 'laptop', '--file', '-'], { input: newPublicKey() });
  simulator.setTiming(timing);
  const screen = createScreen(size.columns, size.rows);
  const frames: Frame[] = [];
  const transcript: string[] = [];
  const show = (ms: number) => addFrame(frames, screen.lines(), ms);

  for (const { args, answer } of commands) {
    const line = `berth ${args}`;
    await screen.write(prompt);
    for (let at = 0; at < line.length; at += times.keysAtOnce) {
      await screen.write(line.slice(at, at + times.keysAtOnce));
      show(times.key);
    }
    await screen.write('\n');
    const session = inTerminal(args.split(' '), { columns: size.columns });
    let written = 0;
    const copy = async () => {
      const all = session.raw();
      await screen.write(all.slice(written));
      written = all.length;
    };
    let hasEnded = false;
    const ended = session.ended().finally(() => {
      hasEnded = true;
    });
    if (answer) session.answers(answer.to, answer.keys).catch(() => undefined);
    while (!hasEnded) {
      await sleep(50);
      await copy();
      show(times.progress);
    }
    const { status } = await ended;
    await copy();
    show(times.rest);
    if (status !== 0) throw new Error(`berth ${args} ended with ${status}: ${session.shown()}`);
    transcript.push(`$ ${line}`, ...(await lastLines(session.raw())));
  }
  await screen.write(prompt);
  show(times.last);
  return { frames, transcript };
}

/** What is left on a terminal when the command has ended, without its progress. */
async function lastLines(raw: string): Promise<string[]> {
  const screen = createScreen(size.columns, size.rows);
  await screen.write(raw);
  return screen.lines().map((line) => line.map(({ text }) => text).join(''));
}

const spinner = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g;

/** Adds a frame, unless it looks like the last one. The symbol that only shows that time passes does not count. */
function addFrame(frames: Frame[], lines: Line[], ms: number): void {
  const still = lines.map((line) =>
    line.map((span) => ({ ...span, text: span.text.replaceAll(spinner, '⠿') })),
  );
  const last = frames.at(-1);
  if (last && JSON.stringify(last.lines) === JSON.stringify(still)) last.ms = Math.max(last.ms, ms);
  else frames.push({ lines: still, ms });
}
