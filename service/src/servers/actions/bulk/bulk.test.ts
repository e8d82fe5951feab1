import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type BulkAnswer, mostServers } from '@berth/contract/bulk-actions';
import { Project } from '../../../db/project.ts';
import type { ServerStatus } from '../../../db/schema/schema.ts';
import { labelSetFor } from '../../../labels/queries.ts';
import { Problem } from '../../../problems/problem.ts';
import { createTestApp, createTestToken } from '../../../testing/app.ts';
import { fingerprintOf } from '../../../testing/fingerprint.ts';
import { inject } from '../../../testing/inject.ts';
import { amid } from '../../../testing/locks.ts';
import { createTestProject } from '../../../testing/people.ts';
import { enterServer, operationUnderWay } from '../../../testing/servers.ts';
import { until } from '../../../testing/until.ts';
import { createWholeApp } from '../../../testing/whole-app.ts';
import { lockServer, setServerSettings } from '../../queries.ts';
import { markServerDeleted } from '../../worker-queries.ts';
import { deleteAction } from '../delete.ts';
import { enterForEach } from './bulk.ts';
import { bulkActionRoutes } from './routes.ts';

const { db, place, ask, finish, close } = await createWholeApp();
after(close);
const theirs = await createTestProject(db, 'theirs');

const enter = (status: ServerStatus = 'started', more = {}) =>
  enterServer(db, place, { status, ...more });
const act = (action: string, ids: (number | string)[], { headers = {}, ...more }: Options = {}) =>
  ask('POST', '/servers/actions', { body: { action, ids, ...more }, ...headers });
const remove = (id: number) => db.transaction().execute((trx) => markServerDeleted(trx, id));
const operationsOf = async (id: number) =>
  (await ask('GET', `/operations?server_id=${id}`)).json() as { id: number; status: string }[];
const codesOf = ({ results }: BulkAnswer) =>
  results.map(({ problem }) => problem && `${problem.status} ${problem.code}`);

interface Options {
  headers?: Record<string, string>;
  force?: boolean;
  dry_run?: boolean;
}

test('each server accepts an action or refuses it, whatever the others do', async () => {
  const [running, stopped, busy, failed] = [
    await enter('started'),
    await enter('stopped'),
    await enter('started', { operation: 'restart' }),
    await enter('error'),
  ];
  const other = await enter('started');
  const answer = await act('stop', [failed, running, busy, other, stopped]);
  assert.equal(answer.statusCode, 200);
  const body = answer.json() as BulkAnswer;
  assert.equal(body.message, 'The action stop was accepted for 2 of 5 servers.');
  assert.deepEqual([body.accepted, body.refused], [2, 3]);
  assert.deepEqual(
    body.results.map(({ server_id, accepted }) => [server_id, accepted]),
    [
      [failed, false],
      [running, true],
      [busy, false],
      [other, true],
      [stopped, false],
    ],
  );
  assert.deepEqual(codesOf(body), [
    '409 server_not_running',
    undefined,
    '409 operation_in_progress',
    undefined,
    '409 server_not_running',
  ]);
  for (const at of [1, 3]) {
    const { server_id, operation } = body.results[at] ?? {};
    const { id, kind, status } = await operationUnderWay(db, server_id ?? 0);
    assert.deepEqual([operation, kind], [{ id, status, error: null }, 'stop']);
  }
  const restart = await operationUnderWay(db, busy);
  assert.equal(body.results[2]?.problem?.operation?.id, restart.id);
  assert.equal(body.results[4]?.problem?.detail, 'The server is stopped already.');
});

test('each action that needs no fields can be carried out on several servers', async () => {
  for (const [action, status] of [
    ['start', 'stopped'],
    ['stop', 'started'],
    ['restart', 'started'],
    ['pause', 'started'],
    ['unpause', 'paused'],
    ['delete', 'error'],
  ] as const) {
    const ids = [await enter(status), await enter(status)];
    const { accepted } = (await act(action, ids)).json() as BulkAnswer;
    assert.equal(accepted, 2, action);
    for (const id of ids) assert.equal((await operationUnderWay(db, id)).kind, action);
  }
  const failed = await enter('error');
  assert.deepEqual(codesOf((await act('retry', [failed])).json()), ['409 server_not_failed']);
});

test('servers can be named by their id, name or UUID, and count once', async () => {
  const id = await enter('started', { hostname: 'named-in-bulk' });
  const { uuid } = (await ask('GET', `/servers/${id}`)).json();
  const other = await enter();
  const answer = await act('pause', ['NAMED-in-bulk', other, id, String(id), uuid]);
  const { results } = answer.json() as BulkAnswer;
  assert.deepEqual(
    results.map(({ server_id, accepted }) => [server_id, accepted]),
    [
      [id, true],
      [other, true],
    ],
  );
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = `action=unpause&ids[]=named-in-bulk&ids[]=${other}&dry_run=1`;
  const fromForm = await ask('POST', '/servers/actions', { body, ...form });
  assert.deepEqual(codesOf(fromForm.json()), Array(2).fill('409 operation_in_progress'));
});

test('an id of no server is refused alone, and says nothing about other projects', async () => {
  const foreign = await enterServer(db, { ...place, projectId: theirs });
  const [deleted, running] = [await enter(), await enter()];
  await remove(deleted);
  const { results } = (
    await act('stop', [999_999, foreign, deleted, running])
  ).json() as BulkAnswer;
  for (const { server_id, accepted, problem } of results.slice(0, 3)) {
    const detail = `No server has the id ${server_id}.`;
    assert.deepEqual(
      { accepted, problem },
      {
        accepted: false,
        problem: { status: 404, code: 'server_not_found', detail },
      },
    );
  }
  assert.equal(results[3]?.accepted, true);
  const untouched = db.selectFrom('operations').where('server_id', '=', foreign).select('id');
  assert.deepEqual(await untouched.execute(), []);
});

test('a name that no server has makes the whole request invalid', async () => {
  const running = await enter();
  const before = await fingerprintOf(db);
  const answer = await act('stop', [running, 'nothing-has-it']);
  assert.equal(answer.statusCode, 422);
  assert.deepEqual(answer.json().errors, [
    { pointer: '/ids/1', detail: 'No server is called nothing-has-it.' },
  ]);
  assert.equal(await fingerprintOf(db), before);
});

test('only a stop can be forced, which supersedes what is in progress', async () => {
  const busy = await enter('started', { operation: 'restart' });
  const restart = await operationUnderWay(db, busy);
  assert.equal((await act('restart', [busy], { force: true })).statusCode, 422);
  const paused = await enter('paused');
  const { accepted } = (await act('stop', [busy, paused], { force: true })).json();
  assert.equal(accepted, 2);
  const [stop] = await operationsOf(busy).then((all) => all.filter(({ id }) => id > restart.id));
  assert.equal(stop?.status, 'pending');
  assert.deepEqual((await operationUnderWay(db, paused)).state, { force: true });
  assert.equal(
    (await operationsOf(busy)).find(({ id }) => id === restart.id)?.status,
    'superseded',
  );
});

test('a dry run returns what the action would, and changes nothing', async () => {
  const ids = [await enter('started'), await enter('stopped'), 999_999, await enter('started')];
  const before = await fingerprintOf(db);
  const dry = await act('delete', ids, { dry_run: true });
  assert.equal(dry.statusCode, 200);
  assert.equal(await fingerprintOf(db), before);
  const body = dry.json() as BulkAnswer;
  assert.equal(body.message, 'The action delete would be accepted for 3 of 4 servers.');
  assert.ok(body.results.every(({ operation }) => operation === undefined));
  const real = (await act('delete', ids, { dry_run: false })).json() as BulkAnswer;
  assert.deepEqual(
    real.results.map(({ operation: _, ...result }) => result),
    body.results,
  );
});

test('an idempotency key covers all servers, including those that refused', async () => {
  const [stopped, other, running] = [
    await enter('stopped'),
    await enter('stopped'),
    await enter('started'),
  ];
  const headers = { 'idempotency-key': `bulk-${stopped}` };
  const ids = [stopped, running, other];
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => act('start', ids, { headers })),
  );
  for (const answer of answers) {
    assert.equal(answer.statusCode, 200, answer.body);
    assert.deepEqual(answer.json(), answers[0]?.json());
  }
  assert.equal(answers.filter((one) => !one.headers['idempotency-replayed']).length, 1);
  await finish(stopped, 'stopped');
  await db.updateTable('servers').set({ status: 'stopped' }).where('id', '=', running).execute();
  const late = await act('start', ids, { headers });
  assert.deepEqual(late.json(), answers[0]?.json());
  assert.equal((await operationsOf(stopped)).length, 1);
  assert.equal((await operationsOf(running)).length, 0);
  assert.equal((await act('start', [stopped], { headers })).json().code, 'idempotency_mismatch');
});

test('of concurrent requests for the same servers in different orders, each server accepts one', async () => {
  const ids: number[] = [];
  for (let at = 0; at < 10; at += 1) ids.push(await enter('started'));
  const orders = [ids, ids.toReversed(), [...ids.slice(5), ...ids.slice(0, 5)]];
  const answers = await Promise.all([...orders, ...orders].map((order) => act('restart', order)));
  const results = answers.flatMap((answer) => {
    assert.equal(answer.statusCode, 200, answer.body);
    return (answer.json() as BulkAnswer).results;
  });
  const accepted = results.filter((result) => result.accepted).map(({ server_id }) => server_id);
  assert.deepEqual(
    accepted.toSorted((one, another) => one - another),
    ids,
  );
});

test('each server that accepts has an entry in the audit log, and refusals are entered as for single requests', async () => {
  const { id: tokenId, headers } = await createTestToken(db, { scopes: ['servers:write'] });
  const ids = [await enter('stopped'), await enter('started'), await enter('stopped')];
  const [first, running, second] = ids;
  const answer = await act('start', ids, { headers });
  const requestId = answer.headers['x-request-id'];
  const entries = async () =>
    await db
      .selectFrom('audit_log')
      .select(['action', 'target_id', 'project_id', 'status', 'code', 'request_id', 'count'])
      .where('token_id', '=', tokenId)
      .orderBy('status')
      .orderBy('target_id')
      .execute();
  const entered = await until('all are entered', entries, (found) => found.length === 3);
  const entry = (target_id: number | undefined, status: number, code: string | null) => ({
    ...{ action: 'server_start', target_id, project_id: place.projectId, status, code },
    ...{ request_id: requestId, count: 1 },
  });
  assert.deepEqual(entered, [
    entry(first, 200, null),
    entry(second, 200, null),
    entry(running, 409, 'server_not_stopped'),
  ]);
});

test('a dry run is entered nowhere, and counts as an action', async () => {
  const own = await createTestApp(db, [bulkActionRoutes]);
  const { id: tokenId, headers } = await createTestToken(db, { scopes: ['servers:write'] });
  const payload = {
    ...{ action: 'start', dry_run: true },
    ids: [await enter('stopped'), await enter('started')],
  };
  const answer = await inject(own, {
    ...{ method: 'POST', url: '/v1/servers/actions', headers, payload },
  });
  assert.deepEqual(codesOf(answer.json()), [undefined, '409 server_not_stopped']);
  assert.match(String(answer.headers.ratelimit), /^"actions";/);
  // Refusals are entered at its end at the latest.
  await own.close();
  const entries = db.selectFrom('audit_log').select('action').where('token_id', '=', tokenId);
  assert.deepEqual(await entries.execute(), []);
});

test('a request that all servers refuse is answered all the same, and entered as refusals only', async () => {
  const { id: tokenId, headers } = await createTestToken(db, { scopes: ['servers:write'] });
  const id = await enter('started');
  const answer = await act('start', [id], { headers });
  assert.deepEqual([answer.statusCode, answer.json().accepted], [200, 0]);
  const entries = db.selectFrom('audit_log').select('status').where('token_id', '=', tokenId);
  const entered = await until(
    'it is entered',
    () => entries.execute(),
    (found) => found.length > 0,
  );
  assert.deepEqual(entered, [{ status: 409 }]);
});

function select(action: string, selector: string, { headers = {}, ...more }: Options = {}) {
  const body = { action, label_selector: selector, ...more };
  return ask('POST', '/servers/actions', { body, ...headers });
}

const label = async (id: number, labels: Record<string, string | null>) =>
  assert.equal((await ask('PATCH', `/servers/${id}`, { body: { labels } })).statusCode, 200);

/** A server with these labels. */
async function labelled(labels: Record<string, string>, status: ServerStatus = 'started') {
  const id = await enter(status);
  await label(id, labels);
  return id;
}

const resultsOf = ({ results }: BulkAnswer) =>
  results.map(({ server_id, accepted }) => [server_id, accepted]);

test('a label selector selects the servers of the project that satisfy it', async () => {
  const [first, stopped, old, second] = [
    await labelled({ env: 'selected' }),
    await labelled({ env: 'selected' }, 'stopped'),
    await labelled({ env: 'selected', old: '' }),
    await labelled({ env: 'selected', tier: 'web' }),
  ];
  const deleted = await labelled({ env: 'selected' });
  await remove(deleted);
  const foreign = await enterServer(db, { ...place, projectId: theirs });
  const { labels, label_set_id } = await db
    .selectFrom('servers')
    .select(['labels', 'label_set_id'])
    .where('id', '=', first)
    .executeTakeFirstOrThrow();
  // As if labels could cross projects.
  await db
    .updateTable('servers')
    .set({ labels: JSON.stringify(labels), label_set_id })
    .where('id', '=', foreign)
    .execute();
  const answer = await select('stop', 'env=selected,!old');
  assert.equal(answer.statusCode, 200, answer.body);
  assert.deepEqual(resultsOf(answer.json()), [
    [first, true],
    [stopped, false],
    [second, true],
  ]);
  assert.deepEqual(codesOf(answer.json()), [undefined, '409 server_not_running', undefined]);
  assert.equal(answer.json().message, 'The action stop was accepted for 2 of 3 servers.');
  for (const id of [old, foreign]) {
    const operations = db.selectFrom('operations').select('id').where('server_id', '=', id);
    assert.deepEqual(await operations.execute(), []);
  }
});

test('a selector of no server is answered with no results, and entered nowhere', async () => {
  const before = await fingerprintOf(db);
  const answer = await select('delete', 'env=nobody');
  assert.equal(answer.statusCode, 200);
  const message = 'The selector selects no servers.';
  assert.deepEqual(answer.json(), { message, accepted: 0, refused: 0, results: [] });
  assert.equal(await fingerprintOf(db), before);
});

test('a dry run of a selector says which servers it selects', async () => {
  const ids = [await labelled({ dry: '1' }), await labelled({ dry: '2' }, 'stopped')];
  const before = await fingerprintOf(db);
  const body = (await select('restart', 'dry', { dry_run: true })).json() as BulkAnswer;
  assert.deepEqual(resultsOf(body), [
    [ids[0], true],
    [ids[1], false],
  ]);
  assert.equal(await fingerprintOf(db), before);
});

test('an idempotency key covers the servers that the selector selected first', async () => {
  const id = await labelled({ key: 'covers' });
  const headers = { 'idempotency-key': `selected-${id}` };
  const first = await select('restart', 'key=covers', { headers });
  await label(id, { key: 'other' });
  const later = await labelled({ key: 'covers' });
  const again = await select('restart', 'key=covers', { headers });
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.deepEqual(again.json(), first.json());
  assert.deepEqual(await operationsOf(later), []);
  const other = await select('restart', 'key=other', { headers });
  assert.equal(other.json().code, 'idempotency_mismatch');
});

test('a selector of more servers than a request can act on is refused, and nothing is done', async () => {
  const ids: number[] = [];
  for (let at = 0; at < mostServers; at += 1) ids.push(await labelled({ many: '' }));
  const one = await select('pause', 'many', { dry_run: true });
  assert.equal((one.json() as BulkAnswer).accepted, mostServers);
  const more = await labelled({ many: '' });
  const before = await fingerprintOf(db);
  for (const dry_run of [true, false]) {
    const answer = await select('pause', 'many', { dry_run });
    assert.equal(answer.statusCode, 422, answer.body);
    const [{ pointer, detail }] = answer.json().errors;
    assert.equal(pointer, '/label_selector');
    assert.match(detail, /^Selects more than 100 servers, .* Add a requirement, or/);
  }
  assert.equal(await fingerprintOf(db), before);
  await label(more, { many: null });
  const paused = (await select('pause', 'many')).json() as BulkAnswer;
  assert.deepEqual(
    resultsOf(paused),
    ids.map((id) => [id, true]),
  );
});

test('a server that loses its label before it is locked is left out', async () => {
  const [kept, changed] = [await labelled({ race: 'yes' }), await labelled({ race: 'yes' })];
  const asked = await amid(
    db,
    async (trx) => {
      const project = new Project(trx, place.projectId);
      await lockServer(project, changed);
      const setId = await labelSetFor(project, { race: 'no' });
      await setServerSettings(project, changed, { labels: { labels: { race: 'no' }, setId } });
    },
    () => select('delete', 'race=yes'),
  );
  assert.deepEqual(resultsOf(asked.json()), [[kept, true]]);
  assert.deepEqual(await operationsOf(changed), []);
});

test('a selector can be sent in a form', async () => {
  const id = await labelled({ form: 'yes' });
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = 'action=pause&label_selector=form%20in%20(yes,no)';
  const answer = await ask('POST', '/servers/actions', { body, ...form });
  assert.deepEqual(resultsOf(answer.json()), [[id, true]]);
});

test('a protected server refuses a delete, and others of the selector do not', async () => {
  const [free, kept] = [await labelled({ guarded: '' }), await labelled({ guarded: '' })];
  await ask('PATCH', `/servers/${kept}`, { body: { protection: { delete: true } } });
  const answer = await select('delete', 'guarded');
  assert.deepEqual(codesOf(answer.json()), [undefined, '409 protected']);
  assert.equal((await operationUnderWay(db, free)).kind, 'delete');
});

test('an operation that was superseded before a server refused goes on', async () => {
  const [busy, idle] = [await enter('started', { operation: 'restart' }), await enter('started')];
  const refusing = {
    ...deleteAction,
    async check(_: unknown, { id }: { id: number }) {
      if (id === busy) throw new Problem('no_capacity', 'No.');
    },
  };
  const results = await db.transaction().execute((trx) => {
    const project = new Project(trx, place.projectId);
    return enterForEach(
      { trx, project },
      { action: refusing, wanted: undefined },
      { ids: [busy, idle] },
    );
  });
  assert.deepEqual(
    results.map((result) => 'refusal' in result && result.refusal.message),
    ['No.', false],
  );
  assert.equal((await operationUnderWay(db, busy)).kind, 'restart');
  assert.equal((await operationUnderWay(db, idle)).kind, 'delete');
});

test('a fault at one server undoes all of the request', async () => {
  const [first, second] = [await enter('started'), await enter('started')];
  const failing = {
    ...deleteAction,
    async check(_: unknown, { id }: { id: number }) {
      if (id === second) throw new TypeError('A fault.');
    },
  };
  const before = await fingerprintOf(db);
  const ids = [first, second];
  const entering = db.transaction().execute((trx) => {
    const project = new Project(trx, place.projectId);
    return enterForEach({ trx, project }, { action: failing, wanted: undefined }, { ids });
  });
  await assert.rejects(entering, /A fault/);
  assert.equal(await fingerprintOf(db), before);
});
