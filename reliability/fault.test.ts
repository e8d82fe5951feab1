import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { type Simulator, startSimulator } from '../incus-sim/src/simulator.ts';
import { createTestDatabase, type TestDatabase } from '../service/src/testing/postgres.ts';
import { temporaryDirectory } from '../service/src/testing/temporary-directory.ts';
import { eventually, until } from '../service/src/testing/until.ts';

// Tests a real service with an error that is not handled.

const main = fileURLToPath(new URL('../service/src/main.ts', import.meta.url));
const names = { project: 'fault', pool: 'fault', network: 'fault0' };
const root = temporaryDirectory('fault');
/** Rejects a promise that nobody handles, as a bug would, when it is told to. */
const bug = join(root, 'bug.mjs');
let database: TestDatabase;
let simulator: Simulator;
let running: Running;

interface Running {
  child: ChildProcess;
  url: string;
  output: () => string;
}

before(async () => {
  writeFileSync(
    bug,
    `process.on('SIGUSR2', () => void Promise.reject(new Error('a deliberate bug')));`,
  );
  database = await createTestDatabase();
  const timing = { create: 2000, download: 3000 };
  const imageServers = ['images.linuxcontainers.org'];
  const listen = { socketPath: join(root, 'incus.socket') };
  simulator = await startSimulator({ listen, timing, imageServers });
  simulator.plant({ ...names, imageAliases: ['berth-debian-12'] });
  running = await start();
});

after(async () => {
  running.child.kill('SIGKILL');
  await simulator.close();
  await database.close();
  rmSync(root, { recursive: true, force: true });
});

async function start(): Promise<Running> {
  const child = spawn(process.execPath, ['--import', bug, main], {
    env: {
      ...process.env,
      DATABASE_URL: database.connectionString,
      BERTH_PORT: '0',
      BERTH_DATA_DIR: join(root, 'data'),
      BERTH_INCUS_SOCKET: simulator.socketPath,
      BERTH_LOCAL_PROJECT: names.project,
      BERTH_LOCAL_POOL: names.pool,
      BERTH_LOCAL_NETWORK: names.network,
      BERTH_LOG_LEVEL: 'info',
    },
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => printed.push(String(data)));
  }
  const output = () => printed.join('');
  const url = await until('the service says where it listens', () => {
    assert.equal(child.exitCode, null, output());
    return /^Berth listens on (\S+)/m.exec(output())?.[1];
  });
  await eventually(async () => assert.equal((await fetch(`${url}/v1/health`)).status, 200));
  return { child, url, output };
}

async function ask(path: string, method = 'GET', body?: object) {
  const token = readFileSync(join(root, 'data/admin-token'), 'utf8').trim();
  return await fetch(`${running.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
}

test('a failure to write the progress of an image stops neither the service nor the import', async () => {
  const { db } = database;
  await sql`create function refuse_progress() returns trigger language plpgsql as $$
    begin raise 'no progress today'; end $$`.execute(db);
  await sql`create trigger refuse_progress before update on images for each row
    when (new.status = 'importing') execute function refuse_progress()`.execute(db);
  const { id } = await db
    .selectFrom('operating_systems')
    .select('id')
    .where('slug', '=', 'debian-13')
    .executeTakeFirstOrThrow();
  const wanted = await ask(`/v1/operating-systems/${id}/images`, 'POST', { location_id: 1 });
  assert.equal(wanted.status, 202, await wanted.text());
  await eventually(async () => {
    const image = db.selectFrom('images').select('status').where('os_id', '=', id);
    assert.equal((await image.executeTakeFirstOrThrow()).status, 'ready');
  });
  await sql`drop trigger refuse_progress on images`.execute(db);
  assert.match(running.output(), /The progress of an image could not be written.*/);
  assert.equal(running.child.exitCode, null);
});

test('an unhandled error is logged and counted, and stops the service cleanly; the next one continues', async () => {
  const created = await ask('/v1/servers', 'POST', {
    name: 'under-way',
    location_id: 1,
    os_id: 1,
    password: 'a-long-password-1',
    initialCommands: [],
    cpu: 1,
    ram: 512,
    disk: 5,
  });
  assert.equal(created.status, 201, await created.text());
  const { child } = running;
  const ended = once(child, 'exit');
  child.kill('SIGUSR2');
  assert.deepEqual(await ended, [1, null]);
  const [logged] = running.output().match(/^\{"level":"fatal".*$/gm) ?? [];
  assert.match(
    logged ?? '',
    /a deliberate bug.*unhandledRejection|unhandledRejection.*a deliberate/,
  );
  assert.match(
    running.output(),
    /Stopped\.\n• Start Berth again\. Operations continue where they were\./,
  );

  running = await start();
  await eventually(async () => {
    const [server] = (await (await ask('/v1/servers')).json()) as { status: string }[];
    assert.equal(server?.status, 'started');
  });
  assert.match(await (await ask('/metrics')).text(), /^berth_faults_total 1$/m);
});
