import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '../../service/src/testing/temporary-directory.ts';
import { quick } from '../src/engine.ts';
import { askSimulator, cleanUpWith } from './setup.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** A service on a simulated Incus, in a separate process. */
export interface Berth {
  process: ChildProcess;
  url: string;
  token: string;
  output: () => string;
}

export function newDirectory(): string {
  const dataDir = temporaryDirectory('simulated');
  cleanUpWith(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

/** Ended after the test. Its guests are as fast as those of other tests. */
export async function startBerth(dataDir = newDirectory()): Promise<Berth> {
  const { DATABASE_URL: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [main], {
    cwd: dataDir,
    env: { ...inherited, BERTH_DATA_DIR: dataDir, BERTH_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanUpWith(() => end(child));
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.on('exit', () => reject(new Error(`It ended: ${output}`)));
    child.stdout.on('data', (text) => {
      output += text;
      // Reads up to the end of its start messages.
      const [, found] = /Berth listens on (\S+).*\n$/s.exec(output) ?? [];
      if (found) resolve(found);
    });
  });
  assert.equal(await askSimulator(join(dataDir, 'incus.socket'), 'POST', 'timing', quick), 200);
  const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  return { process: child, url, token, output: () => output };
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
