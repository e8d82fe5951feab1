import { spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureIncus } from '../setup/incus-daemon.ts';
import { leftoversOf, removePrivateIncus } from './private-incus.ts';
import { removeService, startService, stopService } from './service.ts';

// Runs the end-to-end tests on an Incus of their own, beside whatever else the machine runs, and
// leaves nothing of it behind: also not of an earlier run that was cut off.

const directory = join(tmpdir(), 'berth-e2e');
const incus = { incusDir: join(directory, 'incus'), bridges: ['berthe2e0'] };
const names = { project: 'berth-e2e', pool: 'berth-e2e', network: 'berthe2e0' };
const say = (text: string) => process.stdout.write(`• ${text}\n`);

async function main(): Promise<number> {
  if (process.getuid?.() !== 0)
    throw new Error('The end-to-end tests need root: they start Incus.');
  refuseSecondRun();
  await removeEverything();
  await mkdir(directory, { recursive: true, mode: 0o711 });
  await writeFile(join(directory, 'run.pid'), String(process.pid));
  try {
    return await runTests();
  } finally {
    await removeEverything();
  }
}

function refuseSecondRun(): void {
  const pidFile = join(directory, 'run.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  if (pid !== process.pid && existsSync(`/proc/${pid}`) && isThisProgram(pid)) {
    throw new Error(`The end-to-end tests run already, as the process ${pid}.`);
  }
}

const isThisProgram = (pid: number) =>
  readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('e2e/run.ts');

async function runTests(): Promise<number> {
  const { socketPath } = await ensureIncus({ incusDir: incus.incusDir, say });
  say('Starting the service, which builds its first image');
  const service = await startService({ directory, socketPath, names, port: await freePort() });
  const env = {
    BERTH_E2E_URL: service.url,
    BERTH_E2E_TOKEN: service.token,
    BERTH_E2E_DIR: directory,
    BERTH_E2E_INCUS_SOCKET: socketPath,
    BERTH_E2E_INCUS_PROJECT: names.project,
    BERTH_E2E_INCUS_POOL: names.pool,
    BERTH_TEST_INCUS_SOCKET: socketPath,
  };
  const code = await nodeTest(testFiles(), env);
  const nothingLeft = fileURLToPath(new URL('left/nothing-left.test.ts', import.meta.url));
  const leftCode = await nodeTest([nothingLeft], env);
  await stopService(directory, 'SIGTERM');
  return code || leftCode;
}

/** The files that were asked for, or all of them; then the one that looks for what is left. */
function testFiles(): string[] {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const images = fileURLToPath(
    new URL('../service/src/operating-systems/images.test.ts', import.meta.url),
  );
  const asked = process.argv.slice(2);
  return asked.length > 0 ? asked : [images, ...globSync(join(here, '*.test.ts')).sort()];
}

/** One file after the other: each wants the machine's two cores for itself. */
async function nodeTest(files: string[], env: Record<string, string>): Promise<number> {
  const args = ['--test', '--test-concurrency=1', '--test-reporter=spec', ...files];
  const child = spawn(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const forward = () => child.kill('SIGTERM');
  process.once('SIGINT', forward);
  process.once('SIGTERM', forward);
  return await new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}

async function removeEverything(): Promise<void> {
  await removeService(directory);
  await removePrivateIncus(incus);
  await rm(directory, { recursive: true, force: true });
  const left = leftoversOf(incus);
  if (left.length > 0) throw new Error(`Left behind: ${left.join('; ')}`);
}

process.exitCode = await main();
