import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine, environment, killAll, processIds } from '../service/src/testing/processes.ts';
import { startReaper } from '../service/src/testing/reaper.ts';
import { until } from '../service/src/testing/until.ts';
import { SetupError } from '../setup/commands.mjs';
import { ensureIncus } from '../setup/incus-daemon.ts';
import { takeTurn } from '../suites/turn.ts';
import { outsideOf, removeOutside } from './outside.ts';
import { leftoversOf, removePrivateIncus, unmountBelow } from './private-incus.ts';
import { removeService, type Service, startService, stopService } from './service.ts';

/** Runs Berth on a separate Incus, which does not affect others on the machine. */
export interface Stack {
  directory: string;
  socketPath: string;
  names: { project: string; pool: string; network: string };
  service: Service;
}

interface Place {
  name: string;
  directory: string;
  incus: { incusDir: string; bridges: string[] };
  names: Stack['names'];
}

export const say = (text: string) => process.stdout.write(`• ${text}\n`);

/**
 * Starts a stack, uses it, and removes every trace of it in any case, also of an earlier run that
 * was interrupted.
 * @param name distinguishes stacks: at most 8 letters and digits
 */
export async function withStack<T>(name: string, use: (stack: Stack) => Promise<T>): Promise<T> {
  const place = placeOf(name);
  return await withDirectory(place.directory, {
    remove: () => removeEverything(place),
    reaper: [new URL('stack-reaper.ts', import.meta.url), name],
    async use() {
      const stack = await bringUp(place);
      const result = await use(stack);
      await stopService(place.directory, 'SIGTERM');
      return result;
    },
  });
}

export const stackDirectory = (name: string) => join(tmpdir(), `berth-${name}`);

/** Removes everything that belongs to the stack of that name, and ends all processes that test it. */
export const removeStack = (name: string) => removeEverything(placeOf(name));

interface Use<T> {
  /** Removes everything that belongs to the directory, in any state, and the directory itself. */
  remove(): Promise<void>;
  /** The script that also removes it after this process was killed, and the arguments of the script. */
  reaper: [script: URL, ...args: string[]];
  use(): Promise<T>;
}

/**
 * Waits until no other run on this machine uses the directory, then uses it. Removes everything that belongs to the
 * directory: first the remains of an interrupted run, and at the end everything, also after a signal.
 */
export async function withDirectory<T>(
  directory: string,
  { remove, reaper, use }: Use<T>,
): Promise<T> {
  if (process.getuid?.() !== 0) {
    throw new SetupError('This needs root: it starts an Incus.', 'Run it again as root.');
  }
  await takeTurn(directory, say);
  await reaped(reaper);
  await remove();
  removeOnSignal(remove);
  const stopReaper = startReaper(...reaper);
  // The failure of the run is thrown even if the removal fails as well.
  await using stack = new AsyncDisposableStack();
  // The next stack of this process would wait for it.
  stack.defer(stopReaper);
  stack.defer(remove);
  await mkdir(directory, { recursive: true, mode: 0o711 });
  return await use();
}

function placeOf(name: string): Place {
  const directory = stackDirectory(name);
  const network = `berth${name}0`;
  return {
    name,
    directory,
    // The contract tests create the second one, and the tests of locations the third.
    incus: { incusDir: join(directory, 'incus'), bridges: [network, `${network}c`, `${network}h`] },
    names: { project: `berth-${name}`, pool: `berth-${name}`, network },
  };
}

/** Waits for the reaper of an earlier run that was killed. */
async function reaped([script, ...args]: Use<unknown>['reaper']): Promise<void> {
  // The reaper may be that of another clone.
  const path = script.pathname.split('/').slice(-2).join('/');
  const line = [path, ...args].join(' ');
  await until(
    'the remains of an earlier run are removed',
    () => processIds().filter((pid) => commandLine(pid).endsWith(line)),
    (reapers) => reapers.length === 0,
    300,
  );
}

function removeOnSignal(remove: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
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
  const service = await startService({ directory, socketPath, names });
  return { directory, socketPath, names, service };
}

async function removeEverything({ name, directory, incus }: Place): Promise<void> {
  await killAll(() =>
    processIds().filter((pid) => environment(pid).includes(`BERTH_E2E_DIR=${directory}`)),
  );
  await removeService(directory);
  if (name === outsideOf) removeOutside();
  const links = await removePrivateIncus(incus);
  // An image build that was killed leaves its mounts.
  unmountBelow(directory);
  await rm(directory, { recursive: true, force: true });
  const left = leftoversOf(incus, links);
  if (left.length > 0) throw new Error(`Left behind: ${left.join('; ')}`);
}
