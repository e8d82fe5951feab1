import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../e2e/ports.ts';
import { dataDirectory } from '../e2e/service.ts';
import { commandLine, environment, processIds } from '../service/src/testing/processes.ts';
import { residentMegabytes } from './processor.ts';
import { simulatedIncus } from './simulated.ts';
import { type Comparison, compare, conclude } from './statistics.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const bareFile = fileURLToPath(new URL('bare-start.ts', import.meta.url));
const defaultRounds = 5;
const most = { milliseconds: 1500, megabytes: 130 };
/** Work that begins with the start, such as the first comparison with Incus, is done by then. */
const settledMs = 10_000;

/** A program to start: `listens` matches the line that it prints when it listens. */
interface Program {
  command: string[];
  env: Record<string, string>;
  listens: RegExp;
  /** Its own process, which may be a child of the command. */
  pid: (child: ChildProcess) => number | undefined;
}

interface Started {
  milliseconds: number;
  megabytes: number;
}

/**
 * Measures a second `npm start` on a simulated Incus until it listens, and its memory 10 s later. The
 * baseline is Fastify with the same embedded PostgreSQL. The sides alternate.
 */
export async function benchStart(rounds = defaultRounds): Promise<boolean> {
  await using stack = new AsyncDisposableStack();
  const { directory, socketPath, names } = await simulatedIncus(stack);
  const berth = await npmStart(dataDirectory(directory), socketPath, names);
  const bare = bareStart(join(directory, 'bare'));
  const sides: { baseline: Started[]; measured: Started[] } = { baseline: [], measured: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const baseline = await startOnce(bare);
    const measured = await startOnce(berth);
    // The first round creates the databases, and compiles the code.
    if (round === 0) continue;
    sides.baseline.push(baseline);
    sides.measured.push(measured);
  }
  const of = (field: keyof Started) =>
    compare(
      sides.baseline.map((one) => one[field]),
      sides.measured.map((one) => one[field]),
    );
  const isFast = show(
    'Second npm start until it listens, milliseconds',
    of('milliseconds'),
    most.milliseconds,
  );
  const isSmall = show('Memory 10 s after a start, megabytes', of('megabytes'), most.megabytes);
  return isFast && isSmall;
}

function show(title: string, result: Comparison, limit: number): boolean {
  const names = { baseline: 'Fastify with PostgreSQL', measured: 'npm start' };
  return conclude(title, names, result, { of: 'measured', most: limit });
}

async function npmStart(
  dataDir: string,
  socketPath: string,
  names: { project: string; pool: string; network: string },
): Promise<Program> {
  return {
    command: ['npm', 'start'],
    env: {
      BERTH_DATA_DIR: dataDir,
      BERTH_PORT: String(await freePort()),
      BERTH_INCUS_SOCKET: socketPath,
      BERTH_LOCAL_PROJECT: names.project,
      BERTH_LOCAL_POOL: names.pool,
      BERTH_LOCAL_NETWORK: names.network,
      BERTH_LOG_LEVEL: 'error',
    },
    listens: /^Berth listens on /,
    pid: () =>
      processIds().find(
        (pid) =>
          commandLine(pid).endsWith('service/dist/main.js') &&
          environment(pid).includes(`BERTH_DATA_DIR=${dataDir}`),
      ),
  };
}

function bareStart(dataDir: string): Program {
  mkdirSync(dataDir, { recursive: true });
  const command = [process.execPath, bareFile, dataDir];
  return { command, env: {}, listens: /^\d+$/, pid: ({ pid }) => pid };
}

/** Starts the program, measures it, and stops it. Throws if it ends by itself. */
async function startOnce({ command, env, listens, pid: pidOf }: Program): Promise<Started> {
  const [file = '', ...args] = command;
  const begun = performance.now();
  const child = spawn(file, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let milliseconds: number | undefined;
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (!listens.test(line)) continue;
    milliseconds = performance.now() - begun;
    break;
  }
  const pid = pidOf(child);
  if (milliseconds === undefined || pid === undefined) {
    throw new Error(`${command.join(' ')} did not start:\n${lines.join('\n')}`);
  }
  child.stdout.resume();
  await sleep(settledMs);
  const megabytes = residentMegabytes(pid);
  process.kill(pid, 'SIGTERM');
  await ended;
  return { milliseconds, megabytes };
}
