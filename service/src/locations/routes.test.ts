import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { App } from '../callers/app-types.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { setReachability, upsertLocation } from './queries.ts';
import { locationRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);

let app: App;
let headers: Record<string, string>;

const location = (name: string) => ({
  name,
  description: `The location ${name}`,
  engine: { socket_path: '/run/secret.socket' },
  incus_project: 'berth',
  storage_pool: 'berth',
  network: 'berthbr0',
  network_kind: 'bridge' as const,
  vlan: null,
  max_cpu: 8,
  max_ram_mb: 16384,
  max_disk_gb: 100,
});

before(async () => {
  app = await createTestApp(db, [locationRoutes]);
  headers = (await createTestToken(db, { scopes: ['servers:read'] })).headers;
  await db.transaction().execute(async (trx) => {
    for (const name of ['a', 'b', 'c']) await upsertLocation(trx, location(name));
  });
  await db.updateTable('locations').set({ enabled: false }).where('name', '=', 'b').execute();
});
after(() => app.close());

const ask = (path: string) => inject(app, { url: `/v1/locations${path}`, headers });
const namesOf = (answer: { json(): { name: string }[] }) => answer.json().map(({ name }) => name);

test('locations are listed by id, without the address of their engine', async () => {
  const answer = await ask('');
  assert.deepEqual(namesOf(answer), ['a', 'b', 'c']);
  assert.ok(!answer.body.includes('secret.socket'));
});

test('locations are listed page by page', async () => {
  const first = await ask('?limit=2');
  assert.deepEqual(namesOf(first), ['a', 'b']);
  const next = /<\/v1\/locations(.*)>/.exec(String(first.headers.link))?.[1] ?? '';
  const second = await ask(next);
  assert.deepEqual(namesOf(second), ['c']);
  assert.equal(second.headers.link, undefined);
});

test('locations can be filtered by whether they are enabled', async () => {
  assert.deepEqual(namesOf(await ask('?enabled=true')), ['a', 'c']);
  assert.deepEqual(namesOf(await ask('?enabled=0')), ['b']);
  assert.equal((await ask('?enabled=maybe')).statusCode, 422);
});

test('a location is shown by its id', async () => {
  const shown = (await ask('/1')).json();
  const { since } = shown.network_policy;
  assert.deepEqual(shown, {
    id: 1,
    name: 'a',
    description: 'The location a',
    limits: { cpu: { min: 1, max: 8 }, ram: { min: 128, max: 16384 }, disk: { min: 1, max: 100 } },
    overcommit: { cpu: 16, ram: 1, disk: 4 },
    enabled: true,
    reachable: false,
    unreachable_reason: null,
    traffic_allowance: null,
    traffic_counted: 'outgoing',
    traffic_policy: 'none',
    traffic_throttle: null,
    os_ids: null,
    creates_per_node: null,
    allowed_destinations: [],
    smtp: 'blocked',
    drift: null,
    adopt_from: null,
    network_policy: { status: 'pending', reason: null, since },
  });
});

test('an unknown location is a 404', async () => {
  for (const id of ['4', '0', '-1', '1e0', 'x', '9223372036854775808']) {
    const answer = await ask(`/${id}`);
    assert.equal(answer.statusCode, 404, id);
    assert.equal(answer.json().code, 'location_not_found');
  }
});

test('adding a location again changes it and keeps its id', async () => {
  const changed = { ...location('c'), max_cpu: 64 };
  const row = await db.transaction().execute((trx) => upsertLocation(trx, changed));
  assert.equal((await ask(`/${row.id}`)).json().limits.cpu.max, 64);
  assert.deepEqual(namesOf(await ask('')), ['a', 'b', 'c']);
});

test('whether the engine is reachable is shown, with the reason if it is not', async () => {
  const since = async () => {
    const query = db.selectFrom('locations').select('reachable_changed_at').where('id', '=', 1);
    return (await query.executeTakeFirstOrThrow()).reachable_changed_at;
  };
  await setReachability(db, 1, null);
  const reachableSince = await since();
  await setReachability(db, 1, null);
  assert.equal(await since(), reachableSince);
  await setReachability(db, 1, 'The connection was closed.');
  const unreachableSince = await since();
  assert.notEqual(unreachableSince, reachableSince);
  await setReachability(db, 1, 'It refused.');
  assert.equal(await since(), unreachableSince);
  const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });
  const seen = async (path: string, as = headers) => {
    const shown = (await inject(app, { url: `/v1/locations${path}`, headers: as })).json();
    const { reachable, unreachable_reason } = path === '' ? shown[0] : shown;
    return [reachable, unreachable_reason];
  };
  for (const path of ['/1', '']) {
    assert.deepEqual(await seen(path, admin), [false, 'It refused.']);
    const words = 'The engine of this location cannot be used at the moment.';
    assert.deepEqual(await seen(path), [false, words], 'others are not told the cause');
  }
});
