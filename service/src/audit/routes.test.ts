import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { AuditEntry } from '@berth/contract/audit';
import { sql } from 'kysely';
import { Type } from 'typebox';
import type { App } from '../http/app-types.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { serverBody } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const whole = await createWholeApp();
const { db, place } = whole;
after(whole.close);
const admin = await createTestToken(db, { scopes: ['admin'] });

const list = async (query = '', headers: object = admin.headers): Promise<AuditEntry[]> =>
  (await whole.ask('GET', `/audit${query}`, { ...headers })).json();

/** A refusal is entered once its answer is out. */
async function entryOf(requestId: unknown): Promise<AuditEntry> {
  for (let looks = 0; looks < 100; looks += 1) {
    const found = (await list('?sort=-id&limit=50')).find((e) => e.request_id === requestId);
    if (found) return found;
  }
  throw new Error(`Nothing is entered of the request ${requestId}.`);
}

describe('the audit log', () => {
  it('says who did what to what, and what came of it', async () => {
    const created = await whole.create();
    const { id } = created.json();
    const { at: _, id: __, ...entry } = await entryOf(created.headers['x-request-id']);
    assert.deepEqual(entry, {
      project_id: place.projectId,
      token_id: entry.token_id,
      user_id: null,
      address: '127.0.0.1',
      action: 'server_create',
      target: { kind: 'server', id },
      status: 201,
      code: null,
      request_id: created.headers['x-request-id'],
    });
    assert.equal((await whole.ask('GET', '/whoami')).json().token_id, entry.token_id);
  });

  it('has refusals of somebody who is known', async () => {
    const refused = await whole.ask('POST', '/servers/999/start');
    const entry = await entryOf(refused.headers['x-request-id']);
    const { action, status, code, target } = entry;
    assert.deepEqual(
      [action, status, code, target],
      ['server_start', 404, 'server_not_found', null],
    );
    const bad = await whole.create({ cpu: 0 });
    assert.equal((await entryOf(bad.headers['x-request-id'])).code, 'validation_failed');
  });

  it('has nothing of what changes nothing', async () => {
    const before = (await list()).length;
    await whole.ask('GET', '/servers');
    await whole.ask('POST', '/servers?dry_run=true', { body: serverBody(place) });
    assert.equal((await list()).length, before);
  });

  it('has a repeated request once', async () => {
    const key = { 'idempotency-key': 'once' };
    const first = await whole.create({}, key);
    const again = await whole.create({}, key);
    assert.equal(again.headers['idempotency-replayed'], 'true');
    const { id } = first.json();
    const entries = await list(`?target_kind=server&target_id=${id}`);
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['server_create'],
    );
  });

  it('holds no secret of a request', async () => {
    const secret = 'canary-8d1f';
    await whole.create({ password: `${secret}-password`, initialCommands: [`echo ${secret}`] });
    await whole.create({ cpu: 0, password: `${secret}-password` });
    const { rows } = await sql<{ row: string }>`select a::text as row from audit_log a`.execute(db);
    for (const { row } of rows) assert.ok(!row.includes(secret));
  });

  it('is only ever added to', async () => {
    for (const change of [
      'update audit_log set status = 200',
      'delete from audit_log',
      'truncate audit_log',
    ]) {
      await assert.rejects(sql.raw(change).execute(db), /only ever added to/);
    }
  });
});

describe('its list', () => {
  it('is of the own project, and of all for administrators', async () => {
    const body = { name: 'elsewhere' };
    const { id } = (await whole.ask('POST', '/projects', { body, ...admin.headers })).json();
    const inIt = { ...admin.headers, 'berth-project': String(id) };
    await whole.ask('POST', '/servers', { body: serverBody(place), ...inIt });
    const projects = (entries: AuditEntry[]) => [...new Set(entries.map((e) => e.project_id))];
    assert.deepEqual(projects(await list('', {})), [place.projectId]);
    assert.deepEqual(projects(await list('', inIt)), [id]);
    assert.deepEqual(projects(await list()).sort(), [place.projectId, id]);
  });

  it('is filtered, sorted and paged', async () => {
    const newest = await list('?sort=-id&limit=2');
    const [first, second] = newest;
    assert.ok(first && second && first.id > second.id);
    assert.ok((await list('?action=server_create')).every((e) => e.action === 'server_create'));
    assert.deepEqual(await list(`?token_id=${admin.id}&action=server_stop`), []);
    assert.deepEqual(await list('?to=2020-01-01T00:00:00Z'), []);
    assert.equal((await list('?from=2020-01-01T00:00:00Z')).length, (await list()).length);
    const bad = await whole.ask('GET', '/audit?from=2026-02-31T00:00:00Z');
    assert.deepEqual([bad.statusCode, bad.json().errors[0].pointer], [422, '/from']);
  });

  it('is exported a line each', async () => {
    const answer = await whole.ask('GET', '/audit/export', { ...admin.headers });
    assert.match(String(answer.headers['content-type']), /^application\/x-ndjson/);
    const lines = answer.body.trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      await list(),
    );
  });
});

it('a route that forgets its entry does not answer with success', async () => {
  const forgetful = (api: App) => {
    const schema = { operationId: 'forget', response: { 200: Type.Any() } };
    const config = { scope: 'servers:write' } as const;
    api.post('/forget', { config, schema }, async () => ({ done: true }));
  };
  const app = await createTestApp(db, [forgetful]);
  const answer = await app.inject({ method: 'POST', url: '/v1/forget', headers: admin.headers });
  await app.close();
  assert.deepEqual([answer.statusCode, answer.json().code], [500, 'internal_error']);
});
