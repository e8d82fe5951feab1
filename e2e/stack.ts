import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SetupError } from '../setup/commands.mjs';
import { ensureIncus } from '../setup/incus-daemon.ts';
import { leftoversOf, removePrivateIncus, unmountBelow } from './private-incus.ts';
import { commandLine } from './processes.ts';
import { removeService, type Service, startService, stopService } from './service.ts';

/** The whole product on an Incus of its own, beside whatever else the machine runs. */
export interface Stack {
  directory: string;
  socketPath: string;
  names: { project: string; pool: string; network: string };
  service: Service;
}

interface Place {
  directory: string;
  incus: { incusDir: string; bridges: string[] };
  names: Stack['names'];
}

export const say = (text: string) => process.stdout.write(`• ${text}\n`);

/**
 * Brings a stack up, uses it, and removes every trace of it, whatever happens: also what an earlier
 * run left that was cut off.
 * @param name tells stacks apart: at most 8 letters and digits
 */
export async function withStack<T>(name: string, use: (stack: Stack) => Promise<T>): Promise<T> {
  const place = placeOf(name);
  return await withDirectory(place.directory, {
    remove: () => removeEverything(place),
    async use() {
      const stack = await bringUp(place);
      const result = await use(stack);
      await stopService(place.directory, 'SIGTERM');
      return result;
    },
  });
}

interface Use<T> {
  /** Whatever belongs to the directory, in whatever state it is, and the directory itself. */
  remove(): Promise<void>;
  use(): Promise<T>;
}

/**
 * Uses a directory as the only run that does, and removes all that belongs to it: before, what an
 * earlier run left that was cut off, and after, also upon a signal.
 */
export async function withDirectory<T>(directory: string, { remove, use }: Use<T>): Promise<T> {
  if (process.getuid?.() !== 0) {
    throw new SetupError('This needs root: it starts an Incus.', 'Run it again as root.');
  }
  const pidFile = join(directory, 'run.pid');
  refuseSecondRun(pidFile);
  await remove();
  removeOnSignal(remove);
  // What failed is told also where its traces can't be removed.
  await using stack = new AsyncDisposableStack();
  stack.defer(remove);
  await mkdir(directory, { recursive: true, mode: 0o711 });
  await writeFile(pidFile, String(process.pid));
  return await use();
}

function placeOf(name: string): Place {
  const directory = join(tmpdir(), `berth-${name}`);
  const network = `berth${name}0`;
  return {
    directory,
    // The second one is made by the contract's tests, the third by those of locations.
    incus: { incusDir: join(directory, 'incus'), bridges: [network, `${network}c`, `${network}h`] },
    names: { project: `berth-${name}`, pool: `berth-${name}`, network },
  };
}

function refuseSecondRun(pidFile: string): void {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  if (pid === process.pid || !/\brun\.ts\b/.test(commandLine(pid))) return;
  throw new Error(`The same runs already, as the process ${pid}.`);
}

/** A directory for a service on a simulated engine; both go with the stack, and when the run is stopped. */
export function temporaryDirectory(stack: AsyncDisposableStack, name: string): string {
  const directory = mkdtempSync(join(tmpdir(), `berth-${name}-`));
  const remove = async () => {
    await removeService(directory);
    rmSync(directory, { recursive: true, force: true });
  };
  removeOnSignal(remove);
  stack.defer(remove);
  return directory;
}

function removeOnSignal(remove: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      say(`Stopped by ${signal}: cleaning up`);
      await remove();
      process.exit(1);
    });
  }
}

async function bringUp({ directory, incus, names }: Place): Promise<Stack> {
  const { socketPath } = await ensureIncus({ incusDir: incus.incusDir, say });
  say('Starting the service, which builds its first image');
  const service = await startService({ directory, socketPath, names, port: await freePort() });
  return { directory, socketPath, names, service };
}

/** One that nobody listens on just now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}

async function removeEverything({ directory, incus }: Place): Promise<void> {
  await removeService(directory);
  const links = await removePrivateIncus(incus);
  // A build of an image that was killed leaves its mounts.
  unmountBelow(directory);
  await rm(directory, { recursive: true, force: true });
  const left = leftoversOf(incus, links);
  if (left.length > 0) throw new Error(`Left behind: ${left.join('; ')}`);
}
