import assert from 'node:assert/strict';
import { after, beforeEach, it } from 'node:test';
import type { Drift } from '@berth/contract/drift';
import type { Trx } from '../db/connection.ts';
import { listAllLocations, listLocations } from '../locations/queries.ts';
import { createTestToken } from '../testing/app.ts';
import { enterDrift } from '../testing/drift.ts';
import { rowsRead } from '../testing/rows-read.ts';
import { enterServer } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const whole = await createWholeApp();
const { db, place } = whole;
after(whole.close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });
const get = (path = '') => whole.ask('GET', `/drift${path}`, admin);
const post = (path: string) => whole.ask('POST', `/drift${path}`, admin);
const idsOf = (answer: { json(): { id: number }[] }) => answer.json().map(({ id }) => id);

const codeOf = (answer: { statusCode: number; json(): { code: string } }) => [
  answer.statusCode,
  answer.json().code,
];

beforeEach(async () => {
  await db.deleteFrom('drift').execute();
});

it('drift shows what differs, with both values and since when, and not what one sweep has seen', async () => {
  const serverId = await enterServer(db, place);
  const id = await enterDrift(db, place, { serverId });
  await enterDrift(db, place, { isNew: true });
  const [drift, ...others] = (await get()).json();
  const query = db.selectFrom('servers').select('uuid').where('id', '=', serverId);
  const { uuid } = await query.executeTakeFirstOrThrow();
  const since = '2026-11-21T04:32:50.120000Z';
  assert.deepEqual(drift, {
    ...{ id, kind: 'changed', location_id: place.locationId, location: 'test', node: 'node-1' },
    ...{ instance: `srv-${uuid}`, incus_project: null },
    ...{ server_id: serverId, project_id: place.projectId },
    differences: [{ path: 'config.limits.cpu', expected: '1', found: '8', since }],
    ...{ adoptable: null, since, forgotten: false },
  });
  assert.deepEqual(others, []);
  assert.deepEqual((await get(`/${id}`)).json(), drift);
  assert.deepEqual(codeOf(await get('/99999')), [404, 'drift_not_found']);
  assert.deepEqual(codeOf(await get('/web')), [404, 'drift_not_found']);
});

it('a foreign instance is listed if it is asked for, and is not counted', async () => {
  const unknown = await enterDrift(db, place, { instance: 'web' });
  // Another instance can have the same name in another project.
  const id = await enterDrift(db, place, { instance: 'web', incusProject: 'default' });
  await enterDrift(db, place, { instance: 'web', incusProject: 'old' });
  assert.deepEqual(idsOf(await get()), [unknown]);
  const all = (await get('?kind=foreign_instance')).json();
  const names = all.map((one: Drift) => [one.kind, one.incus_project, one.instance]);
  assert.deepEqual(names, [
    ['foreign_instance', 'default', 'web'],
    ['foreign_instance', 'old', 'web'],
  ]);
  assert.deepEqual((await get(`/${id}`)).json(), all[0]);
  assert.deepEqual(all[0].adoptable.ip_addresses, ['10.9.0.99']);
  const { drift } = (await whole.ask('GET', `/locations/${place.locationId}`, admin)).json();
  assert.equal(drift, 1);
  assert.deepEqual(codeOf(await post(`/${id}/repair`)), [409, 'drift_not_repairable']);
  assert.equal((await post(`/${id}/forget`)).statusCode, 200);
  assert.equal(idsOf(await get('?kind=foreign_instance')).length, 1);
});

it('drift is filtered and paged as other lists are', async () => {
  const serverId = await enterServer(db, place);
  const missingId = await enterServer(db, place, { status: 'error' });
  const changed = await enterDrift(db, place, { serverId, since: '2026-01-01T00:00:00.000000Z' });
  const missing = await enterDrift(db, place, { serverId: missingId, isMissing: true });
  const unknown = await enterDrift(db, place, { instance: 'Web-by-hand' });
  const expected: Record<string, number[]> = {
    '?kind=changed': [changed],
    '?kind=missing_instance,unknown_instance': [missing, unknown],
    [`?server_id=${serverId}`]: [changed],
    '?location_id=test': [changed, missing, unknown],
    '?q=web-': [unknown],
    '?q=hand': [],
    '?to=2026-02-01T00:00:00Z': [changed],
    '?from=2026-02-01T00:00:00Z': [missing, unknown],
    '?forgotten=false': [changed, missing, unknown],
    '?forgotten=true': [],
  };
  for (const [query, ids] of Object.entries(expected)) {
    assert.deepEqual(idsOf(await get(query)), ids, query);
  }
  const first = await whole.ask('GET', '/drift?limit=2', { ...admin, prefer: 'count=exact' });
  assert.deepEqual([idsOf(first), first.headers['total-count']], [[changed, missing], '3']);
  const [, next = ''] = /^<\/v1([^>]+)>; rel="next"$/.exec(String(first.headers.link)) ?? [];
  assert.deepEqual(idsOf(await whole.ask('GET', next, admin)), [unknown]);
  for (const query of ['?kind=other', '?server_id=99999', '?forgotten=maybe', '?location_id=x']) {
    assert.deepEqual(codeOf(await get(query)), [422, 'validation_failed'], query);
  }
});

it('the drift of a location is counted only for administrators, who see it', async () => {
  await enterDrift(db, place);
  for (const isAdmin of [true, false]) {
    const list = (trx: Trx) => listLocations(trx, {}, { isAdmin }).page(undefined, 10);
    assert.equal((await rowsRead(db, 'drift', list)) > 0, isAdmin);
  }
  const all = (trx: Trx) => listAllLocations(trx);
  assert.equal(await rowsRead(db, 'drift', all), 0, 'the service itself does not need it');
});

it('what is forgotten is listed apart, is not counted, and stays so when it is forgotten again', async () => {
  const serverId = await enterServer(db, place);
  const id = await enterDrift(db, place, { serverId });
  const other = await enterDrift(db, place);
  const counted = async (headers: object) =>
    (await whole.ask('GET', `/locations/${place.locationId}`, { ...headers })).json().drift;
  assert.equal(await counted(admin), 2);
  assert.equal(await counted({}), null, 'only administrators see it');
  const [listed] = (await get()).json();
  const forgotten = await post(`/${id}/forget`);
  assert.equal(forgotten.statusCode, 200, forgotten.body);
  assert.deepEqual(forgotten.json(), { ...listed, forgotten: true });
  assert.equal((await post(`/${id}/forget`)).statusCode, 200);
  assert.deepEqual(idsOf(await get()), [other]);
  assert.deepEqual((await get('?forgotten=true')).json(), [forgotten.json()]);
  assert.equal(await counted(admin), 1);
  const metrics = (await whole.ask('GET', '/metrics', { prefix: '' })).body;
  const lines = metrics.split('\n').filter((line) => line.startsWith('berth_drift{'));
  assert.deepEqual(lines.sort(), [
    'berth_drift{kind="changed",location="test"} 0',
    'berth_drift{kind="missing_instance",location="test"} 0',
    'berth_drift{kind="unknown_instance",location="test"} 1',
  ]);
  assert.deepEqual(codeOf(await post('/99999/forget')), [404, 'drift_not_found']);
});

it('forgetting has an entry in the history of the server, or of the location', async () => {
  const serverId = await enterServer(db, place);
  await post(`/${await enterDrift(db, place, { serverId })}/forget`);
  await post(`/${await enterDrift(db, place)}/forget`);
  const entries = await db
    .selectFrom('audit_log')
    .select(['project_id', 'target_kind', 'target_id', 'details'])
    .where('action', '=', 'drift_forget')
    .where('status', '=', 200)
    .orderBy('id', 'desc')
    .limit(2)
    .execute();
  const [ofLocation, ofServer] = entries;
  assert.deepEqual(ofLocation, {
    ...{ project_id: null, target_kind: 'location', target_id: place.locationId },
    details: { drift: 'unknown_instance', instance: 'by-hand' },
  });
  const { details, ...about } = ofServer ?? {};
  assert.deepEqual(about, {
    ...{ project_id: place.projectId, target_kind: 'server', target_id: serverId },
  });
  assert.equal(details?.drift, 'changed');
});

it('a repair enters an operation on the server, which can be suspended', async () => {
  const serverId = await enterServer(db, place);
  const suspension = { suspended_at: new Date(), suspension_reason: 'Unpaid.' };
  await db.updateTable('servers').set(suspension).where('id', '=', serverId).execute();
  const id = await enterDrift(db, place, { serverId });
  const answer = await post(`/${id}/repair`);
  assert.equal(answer.statusCode, 202, answer.body);
  const { operation_id } = answer.json();
  const operation = await whole.ask('GET', `/operations/${operation_id}`);
  const { kind, server_id, status } = operation.json();
  assert.deepEqual([kind, server_id, status], ['repair', serverId, 'pending']);
  const again = await post(`/${id}/repair`);
  assert.deepEqual(codeOf(again), [409, 'operation_in_progress']);
  const history = db.selectFrom('audit_log').select(['project_id', 'target_id', 'details']);
  const entry = history.where('action', '=', 'drift_repair').where('status', '=', 202);
  const { instance } = (await get(`/${id}`)).json();
  assert.deepEqual(await entry.execute(), [
    {
      ...{ project_id: place.projectId, target_id: serverId },
      details: { drift: 'changed', instance },
    },
  ]);
});

it('a server that was not created again since is not repaired', async () => {
  const serverId = await enterServer(db, place);
  const id = await enterDrift(db, place, { serverId });
  const failed = { installed_at: null, status: 'error' } as const;
  await db.updateTable('servers').set(failed).where('id', '=', serverId).execute();
  const refused = await post(`/${id}/repair`);
  assert.deepEqual(codeOf(refused), [409, 'drift_not_repairable']);
  assert.match(refused.json().detail, /has failed since the drift was found/);
});

it('what is missing or unknown cannot be repaired, and the refusal says what to do', async () => {
  const serverId = await enterServer(db, place, { status: 'error' });
  const missing = await post(
    `/${await enterDrift(db, place, { serverId, isMissing: true })}/repair`,
  );
  assert.deepEqual(codeOf(missing), [409, 'drift_not_repairable']);
  assert.match(missing.json().detail, /Rebuild the server/);
  const unknown = await post(`/${await enterDrift(db, place)}/repair`);
  assert.deepEqual(codeOf(unknown), [409, 'drift_not_repairable']);
  assert.match(unknown.json().detail, /belongs to no server/);
  const entered = await enterDrift(db, place, { instance: 'seen-once', isNew: true });
  assert.deepEqual(codeOf(await post(`/${entered}/repair`)), [404, 'drift_not_found']);
});
