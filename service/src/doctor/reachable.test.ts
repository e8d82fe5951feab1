import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { plainShell } from '../edge/settings.ts';
import { type HealthCheck, Unwell } from '../health/checks.ts';
import { healthRoutes } from '../health/routes.ts';
import { createTestApp } from '../testing/app.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { databaseFinding, roomFinding, serviceFinding } from './reachable.ts';

const { db, connectionString, close } = await createTestDatabase();
after(close);

const dataDir = await mkdtemp(join(tmpdir(), 'berth-doctor-'));
after(() => rm(dataDir, { recursive: true }));

test('a working database is ok, an unreachable one is a problem, and one that does not exist yet is a note', async () => {
  const there = await databaseFinding({ databaseUrl: connectionString, dataDir });
  assert.equal(there.state, 'ok', there.says);
  assert.match(there.says, /^PostgreSQL \d+.* of DATABASE_URL answers$/);
  const away = 'postgresql://berth:canary@127.0.0.1:1/berth';
  const gone = await databaseFinding({ databaseUrl: away, dataDir });
  assert.equal(gone.state, 'problem');
  assert.match(gone.says, /DATABASE_URL can't be used: .*ECONNREFUSED/);
  assert.match(gone.wayOut ?? '', /Check DATABASE_URL/);
  assert.ok(!JSON.stringify(gone).includes('canary'));
  const unmade = await databaseFinding({ databaseUrl: undefined, dataDir });
  const says = `none in ${dataDir} yet; the first start creates it`;
  assert.deepEqual([unmade.state, unmade.says], ['note', says]);
});

test('an embedded database that does not run is a note, and so is one that this user can not read', async (t) => {
  const own = await mkdtemp(join(tmpdir(), 'berth-doctor-'));
  t.after(() => rm(own, { recursive: true }));
  await mkdir(join(own, 'postgres'));
  await writeFile(join(own, 'postgres', 'PG_VERSION'), '18\n');
  const place = { databaseUrl: undefined, dataDir: own };
  const stopped = await databaseFinding(place);
  assert.deepEqual(
    [stopped.state, /^not running in .*; the service starts it$/.test(stopped.says)],
    ['note', true],
  );
  await chmod(own, 0);
  const unseen = await asNobody(() => databaseFinding(place));
  assert.deepEqual([unseen.state, unseen.says], ['note', `${own} can't be read by this user`]);
  assert.match(unseen.wayOut ?? '', /as root, or as the user of the service/);
});

/** Runs `work` as another user than root, because root can read everything. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  const own = process.geteuid?.() ?? 0;
  if (own === 0) process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    process.seteuid?.(own);
  }
}

test('a data directory that can not be written to is a problem, with the reason', async (t) => {
  const own = await mkdtemp(join(tmpdir(), 'berth-doctor-'));
  t.after(() => rm(own, { recursive: true }));
  const states = async (path: string) => (await roomFinding(path)).map(({ state }) => state);
  assert.deepEqual(await states(own), ['ok']);
  assert.deepEqual(await readdir(own), [], 'no file is left');
  assert.deepEqual(await states(join(own, 'none')), [], 'a start creates it');
  await symlink('/dev/full', join(own, 'room'));
  assert.match((await roomFinding(own))[0]?.says ?? '', /is on a disk that is full \(ENOSPC\)$/);
  const readOnly = await promisify(execFile)('unshare', [
    ...['--mount', 'sh', '-c', 'mount -t tmpfs -o ro tmpfs "$1" && exec "$2" -e "$3" "$1"', 'sh'],
    ...[own, process.execPath, printRoom],
  ]);
  const [found] = JSON.parse(readOnly.stdout);
  assert.equal(found.says, `${own} is on a file system that is read-only (EROFS)`);
  assert.deepEqual([found.state, /mounted so.*dmesg/.test(found.wayOut)], ['problem', true]);
});

const printRoom = `
  const { roomFinding } = await import('${new URL('reachable.ts', import.meta.url).href}');
  console.log(JSON.stringify(await roomFinding(process.argv[1])));`;

const installed = { wayOut: 'See its log.' };

test('a working service is ok, and a failing one reports the reason', async (t) => {
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

test('notes of the service on a location are reported, and what to do about an unreachable Incus', async (t) => {
  const unknown = '1 instance belongs to no server in the records.';
  // The text differs from the one of the service, because the advice depends on the reason only.
  const refused = 'Nothing listens at its socket.';
  const away = async () => {
    throw new Unwell('incus_unreachable', refused);
  };
  const unusable = async () => {
    throw new Unwell('incus_unusable', 'Incus does not answer as it should.');
  };
  const full = async () => {
    throw new Unwell('disk_full', 'The data directory is on a disk that is full.');
  };
  const breaks = async () => {
    throw new Error('canary');
  };
  const name = 'location local';
  const look = async (check: HealthCheck, more = {}) => {
    const app = await createTestApp(db, [healthRoutes], { healthChecks: async () => [check] });
    t.after(() => app.close());
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const asked = { host: '127.0.0.1', port, shell: plainShell, ...more };
    const { state, says, wayOut } = await serviceFinding(asked, installed);
    return [state, says, wayOut];
  };
  const note = async () => ({ reason: 'instances_unknown' as const, detail: unknown });
  const noted = await look({ name, check: async () => undefined, note });
  const see = 'See "Backup and restore" in docs/operations.md.';
  assert.deepEqual(noted, ['note', `${name}: ${unknown}`, see]);
  assert.deepEqual(await look({ name, check: away }), [
    ...['problem', `${name}: ${refused}`, 'Start Incus.'],
  ]);
  const simulated = await mkdtemp(join(tmpdir(), 'berth-doctor-simulated-'));
  t.after(() => rm(simulated, { recursive: true }));
  await writeFile(join(simulated, 'simulated'), '');
  assert.deepEqual(await look({ name, check: away }, { dataDir: simulated }), [
    ...['problem', `${name}: ${refused}`, 'Restart the simulation: npm run start:simulated'],
  ]);
  assert.deepEqual(await look({ name: 'database', check: full }), [
    ...['problem', 'database: The data directory is on a disk that is full.', undefined],
  ]);
  assert.deepEqual(await look({ name, check: unusable }), [
    ...['problem', `${name}: Incus does not answer as it should.`, 'Its log says why.'],
  ]);
  assert.deepEqual(await look({ name, check: breaks }), [
    ...['problem', `${name}: The check failed.`, 'Its log says why.'],
  ]);
});

test('a service that answers while the own database does not run is of another directory', async (t) => {
  const healthChecks = async () => [{ name: 'database', check: async () => undefined }];
  const app = await createTestApp(db, [healthRoutes], { healthChecks });
  t.after(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const own = { host: '127.0.0.1', port, shell: plainShell, dataDir };
  const found = await serviceFinding({ ...own, databaseUrl: undefined }, undefined);
  const says = `a Berth answers at 127.0.0.1:${port}, but not the one of ${dataDir}, whose database is not running`;
  assert.deepEqual([found.state, found.says], ['note', says]);
  assert.match(found.wayOut ?? '', /BERTH_DATA_DIR.*BERTH_PORT/);
  const outside = await serviceFinding({ ...own, databaseUrl: connectionString }, undefined);
  assert.equal(outside.state, 'ok', outside.says);
});

test('a service that hangs is a problem, and not reported as missing', async (t) => {
  const hung = createTcpServer();
  hung.listen(0, '127.0.0.1');
  await once(hung, 'listening');
  t.after(() => hung.close());
  const { port } = hung.address() as AddressInfo;
  const asked = { host: '127.0.0.1', port, shell: plainShell };
  const found = await serviceFinding(asked, installed, 100);
  assert.equal(found.state, 'problem');
  assert.equal(found.says, `what listens at 127.0.0.1:${port} gives no answer`);
  assert.match(found.wayOut ?? '', /restart it.* See its log\.$/);
  assert.equal((await serviceFinding(asked, undefined, 100)).state, 'problem');
});

test('an installed service that does not respond is a problem, and so is another program', async (t) => {
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
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-doctor-simulated-'));
  after(() => rm(dataDir, { recursive: true }));
  const wayOut = async () => (await serviceFinding({ ...nowhere, dataDir }, undefined)).wayOut;
  assert.match(
    (await wayOut()) ?? '',
    /: npm start\. If it runs on another port, run this command with its BERTH_PORT\.$/,
  );
  await writeFile(join(dataDir, 'simulated'), '');
  assert.match((await wayOut()) ?? '', /: npm run start:simulated\. If it runs on another port/);
});
