import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  if (process.getuid?.() !== 0) throw new Error('This needs root: it starts an Incus of its own.');
  const place = placeOf(name);
  refuseSecondRun(place);
  await removeEverything(place);
  removeEverythingOnSignal(place);
  await mkdir(place.directory, { recursive: true, mode: 0o711 });
  await writeFile(pidFile(place), String(process.pid));
  try {
    const stack = await bringUp(place);
    const result = await use(stack);
    await stopService(place.directory, 'SIGTERM');
    return result;
  } finally {
    await removeEverything(place);
  }
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

const pidFile = ({ directory }: Place) => join(directory, 'run.pid');

function refuseSecondRun(place: Place): void {
  if (!existsSync(pidFile(place))) return;
  const pid = Number(readFileSync(pidFile(place), 'utf8'));
  if (pid === process.pid || !/\brun\.ts\b/.test(commandLine(pid))) return;
  throw new Error(`The same runs already, as the process ${pid}.`);
}

function removeEverythingOnSignal(place: Place): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      say(`Stopped by ${signal}: cleaning up`);
      await removeEverything(place);
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
