import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cleanUpWith } from './setup.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

interface Berth {
  process: ChildProcess;
  url: string;
  token: string;
  output: () => string;
}

async function startBerth(): Promise<Berth> {
  const dataDir = mkdtempSync(join(tmpdir(), 'berth-simulated-'));
  cleanUpWith(() => rmSync(dataDir, { recursive: true, force: true }));
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
      // Up to the end of what it says by itself.
      const [, found] = /Berth listens on (\S+).*Ctrl-C stops Berth/s.exec(output) ?? [];
      if (found) resolve(found);
    });
  });
  const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  return { process: child, url, token, output: () => output };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

async function call<T>({ url, token }: Berth, method: string, path: string, body?: unknown) {
  const response = await fetch(`${url}/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      prefer: 'wait=60',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(70_000),
  });
  return { status: response.status, body: (await response.json()) as T };
}

describe('the whole product on the simulator', () => {
  it('says that its servers are not real, and leads one through its life', async () => {
    const berth = await startBerth();
    assert.match(berth.output(), /^\s*SIMULATED: the servers of this Berth are not real\./);
    assert.match(berth.output(), /TOKEN=\$\(cat \S+\/admin-token\)/);
    assert.ok(
      !berth.output().includes(berth.token),
      'what is printed stands in a journal for ever',
    );
    const { status, body: server } = await call<{ id: number }>(berth, 'POST', 'servers', {
      name: 'simulated.example.org',
      location_id: 1,
      os_id: 1,
      password: 'Correct-Horse-9',
      initialCommands: ['echo hello', 'exit 3'],
      cpu: 1,
      ram: 512,
      disk: 5,
    });
    assert.equal(status, 201);
    const path = `servers/${server.id}`;
    const now = async () => (await call<{ status: string }>(berth, 'GET', path)).body.status;
    assert.equal(await now(), 'started');
    const { body: operations } = await call<{ commands: unknown }[]>(
      berth,
      'GET',
      `operations?server_id=${server.id}`,
    );
    assert.deepEqual(operations[0]?.commands, [
      { exit_status: 0, output: 'hello\n', output_expired: false },
      { exit_status: 3, output: '', output_expired: false },
    ]);
    for (const [action, expected] of [
      ['stop', 'stopped'],
      ['start', 'started'],
      ['restart', 'started'],
    ]) {
      await call(berth, 'POST', `${path}/${action}`, {});
      assert.equal(await now(), expected);
    }
    await call(berth, 'DELETE', path);
    assert.equal((await call(berth, 'GET', path)).status, 404);
    await end(berth.process);
    assert.equal(berth.process.exitCode, 0);
    assert.match(berth.output(), /The simulated servers are gone\.\s*$/);
  });
});
