import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { plainShell } from '../edge/settings.ts';
import { healthRoutes } from '../health/routes.ts';
import { createTestApp } from '../testing/app.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { databaseFinding, serviceFinding } from './reachable.ts';

const { db, connectionString, close } = await createTestDatabase();
after(close);

const dataDir = await mkdtemp(join(tmpdir(), 'berth-doctor-'));
after(() => rm(dataDir, { recursive: true }));

test('a database that answers is right, one that is away is a problem, and one to be made a note', async () => {
  const there = await databaseFinding({ databaseUrl: connectionString, dataDir });
  assert.equal(there.state, 'ok', there.says);
  assert.match(there.says, /^PostgreSQL \d+.* of DATABASE_URL answers$/);
  const away = 'postgresql://berth:canary@127.0.0.1:1/berth';
  const gone = await databaseFinding({ databaseUrl: away, dataDir });
  assert.equal(gone.state, 'problem');
  assert.match(gone.says, /DATABASE_URL can't be used: .*ECONNREFUSED/);
  assert.match(gone.wayOut ?? '', /Check DATABASE_URL/);
  assert.ok(!JSON.stringify(gone).includes('canary'));
  assert.equal((await databaseFinding({ databaseUrl: undefined, dataDir })).state, 'note');
});

const installed = { wayOut: 'See its log.' };

test('a service that answers is right, and one that is failing says what', async (t) => {
  const shell = { ...plainShell, allowedHosts: ['api.example.com'] };
  let isWell = true;
  const check = async () => {
    if (!isWell) throw new Error('away');
  };
  const healthChecks = async () => [{ name: 'queue', check }];
  for (isWell of [true, false]) {
    const app = await createTestApp(db, [healthRoutes], { shell, healthChecks });
    t.after(() => app.close());
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const { state, says } = await serviceFinding({ host: '127.0.0.1', port, shell }, installed);
    assert.equal(state, isWell ? 'ok' : 'problem', says);
    assert.match(says, isWell ? /^answers at 127\.0\.0\.1:/ : /^queue: /);
  }
});

test('what does not answer is a problem where it is installed, and so is another program', async (t) => {
  const other = createServer((_request, response) => response.end('hello'));
  other.listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const found = await serviceFinding({ host: '127.0.0.1', port, shell: plainShell }, undefined);
  assert.deepEqual([found.state, /is not Berth/.test(found.says)], ['problem', true]);
  const nowhere = { host: '127.0.0.1', port: 1, shell: plainShell };
  const gone = await serviceFinding(nowhere, installed);
  assert.deepEqual([gone.state, gone.wayOut], ['problem', installed.wayOut]);
  assert.equal((await serviceFinding(nowhere, undefined)).state, 'note');
});
