import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { insertNodeOperation } from '../maintenance/moving-queries.ts';
import { createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestProject } from '../testing/people.ts';
import { enterServer, operationUnderWay } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';

import type { FoundOperation } from './queries.ts';
import { operationView } from './view.ts';

const { app, db, place, ask, create, finish, close } = await createWholeApp();
after(close);

interface Shown {
  id: number;
  server_id: number;
  status: string;
}

let first: number;
let second: number;
before(async () => {
  // The tests use a create that has ended, a start in progress, and a stop that was superseded by a delete.
  first = (await create()).json().id;
  await finish(first, 'stopped');
  await ask('POST', `/servers/${first}/start`);
  second = await enterServer(db, place, { status: 'started', operation: 'stop' });
  await ask('DELETE', `/servers/${second}`);
});

const list = async (query = ''): Promise<Shown[]> =>
  (await ask('GET', `/operations${query}`)).json();
const idsOf = (operations: Shown[]) => operations.map(({ id }) => id);

test('a successful operation is shown with its times', async () => {
  const [{ id } = { id: 0 }] = await list('?kind=create');
  const operation = (await ask('GET', `/operations/${id}`)).json();
  const { created_at, started_at, finished_at, placement, ...rest } = operation;
  assert.equal(placement.node, 'node-1');
  assert.ok(created_at < finished_at);
  assert.equal(started_at, null);
  assert.deepEqual(rest, {
    id,
    kind: 'create',
    server_id: first,
    status: 'succeeded',
    cancellable: false,
    step: 'queue',
    progress: 100,
    message: 'It is done.',
    error: null,
    commands: null,
    user_data: null,
    node: null,
    servers: null,
  });
});

test('administrators can get an operation on a node, with the servers that it moves', async () => {
  const nodeId = place.nodeId;
  const start = { step: 'move', message: 'Moving servers.', deadlineSeconds: 60 };
  const { id } = await db
    .transaction()
    .execute((trx) => insertNodeOperation(trx, { ...start, kind: 'evacuate', nodeId }));
  const { headers } = await createTestToken(db);
  const get = (path: string) => inject(app, { url: `/v1/operations/${path}`, headers });
  const answer = await get(String(id));
  assert.equal(answer.statusCode, 200, answer.body);
  const { kind, server_id, cancellable, node, servers } = answer.json();
  assert.deepEqual([kind, server_id, cancellable, node], ['evacuate', null, false, 'node-1']);
  const states = servers.map((server: { state: string; status: string }) => [
    server.state,
    server.status,
  ]);
  assert.ok(states.length > 0);
  for (const one of states) assert.deepEqual(one, ['waiting', 'waiting']);
  const codes = [await get('4711'), await ask('GET', `/operations/${id}`)].map((refused) => [
    refused.statusCode,
    refused.json().code,
  ]);
  assert.deepEqual(codes, Array(2).fill([404, 'operation_not_found']));
  await db.deleteFrom('operations').where('id', '=', id).execute();
});

test('an administrator who named a project is told in which project an operation is', async () => {
  const [operation] = await list();
  const name = 'beside';
  const beside = await createTestProject(db, name);
  const { headers } = await createTestToken(db, { project: name });
  const ofBeside = { headers: { ...headers, 'berth-project': String(beside) } };
  const get = async (id: number) =>
    (await inject(app, { url: `/v1/operations/${id}`, ...ofBeside })).json();
  const { code, detail } = await get(operation?.id ?? 0);
  assert.equal(code, 'operation_not_found');
  assert.match(detail, /is in the project default, .*Berth-Project: /);
  assert.equal((await get(4711)).detail, 'No operation has the id 4711.');
});

test('an administrator lists the operations of all projects on request, and those of any server', async () => {
  const project = 'without servers';
  await createTestProject(db, project);
  const { headers } = await createTestToken(db, { project });
  const get = async (query: string) =>
    idsOf((await inject(app, { url: `/v1/operations${query}`, headers })).json());
  assert.deepEqual(await get(''), []);
  assert.deepEqual(await get('?all_projects=false'), []);
  assert.deepEqual(await get('?all_projects=true'), idsOf(await list()));
  assert.deepEqual(await get(`?server_id=${first}`), idsOf(await list(`?server_id=${first}`)));
});

test('an operation that has ended cannot be cancelled', () => {
  const row = { state: null, commands: null, placement: null, error: null };
  const shown = (state: object | null) =>
    operationView(
      { ...row, state } as unknown as FoundOperation,
      { isCancellable: () => true },
      false,
    );
  assert.equal(shown(null).cancellable, false);
  assert.equal(shown({}).cancellable, true);
});

test('a failed operation is shown with its error and the results of its commands', async () => {
  const { id: server } = (await create()).json();
  const { id } = await operationUnderWay(db, server);
  const error = { code: 'image_unreachable', message: 'The image server does not answer.' };
  const commands = [
    { exit_status: 1, output: 'not found\n', output_expired: false, output_note: null },
  ];
  const values = {
    error: JSON.stringify(error),
    commands: JSON.stringify(commands),
    secrets: null,
  };
  await db
    .updateTable('operations')
    .set({ ...values, status: 'failed', progress: 40, finished_at: new Date() })
    .where('id', '=', id)
    .execute();
  const operation = (await ask('GET', `/operations/${id}`)).json();
  assert.deepEqual([operation.status, operation.progress], ['failed', 40]);
  assert.deepEqual(operation.error, { ...error, detail: error.message });
  const whichAndHowLong = { index: 0, duration_ms: null };
  assert.deepEqual(operation.commands, [{ ...commands[0], ...whichAndHowLong }]);
});

test('operations can be filtered', async () => {
  const all = await list();
  const by = (filter: (operation: Shown & { kind: string }) => boolean) =>
    idsOf(all.filter((operation) => filter(operation as Shown & { kind: string })));
  assert.deepEqual(
    idsOf(await list(`?server_id=${first}`)),
    by((o) => o.server_id === first),
  );
  assert.deepEqual(
    idsOf(await list('?status=superseded')),
    by((o) => o.kind === 'stop'),
  );
  assert.deepEqual(
    idsOf(await list('?status=pending&kind=delete')),
    by((o) => o.kind === 'delete'),
  );
  const unknown = await ask('GET', '/operations?server_id=4711');
  assert.deepEqual(
    [unknown.statusCode, unknown.json().errors],
    [422, [{ parameter: 'server_id', detail: 'No server has the id 4711.' }]],
  );
});

test('operations can be filtered by the time of their request', async () => {
  const all = (await list()) as (Shown & { created_at: string })[];
  const [middle] = all.slice(2);
  assert.ok(middle);
  const { created_at: at } = middle;
  const times = {
    from: all.filter((o) => o.created_at >= at),
    to: all.filter((o) => o.created_at < at),
  };
  for (const [name, expected] of Object.entries(times)) {
    assert.ok(expected.length > 0);
    assert.deepEqual(idsOf(await list(`?${name}=${at}`)), idsOf(expected), name);
  }
});

test('operations can be filtered by the labels of their servers as they are now', async () => {
  const [labelled, other] = [
    await enterServer(db, place, { operation: 'stop' }),
    await enterServer(db, place, { operation: 'restart' }),
  ];
  const label = (id: number, labels: object) =>
    ask('PATCH', `/servers/${id}`, { body: { labels } });
  await label(labelled, { env: 'filtered', old: '' });
  await label(other, { env: 'filtered' });
  const selected = async (selector: string, more = '') =>
    (await list(`?label_selector=${encodeURIComponent(selector)}${more}`)) as (Shown & {
      kind: string;
    })[];
  const kinds = async (selector: string, more = '') =>
    (await selected(selector, more)).map(({ kind }) => kind);
  assert.deepEqual(await kinds('env=filtered'), ['stop', 'restart']);
  assert.deepEqual(await kinds('env=filtered', '&sort=-id'), ['restart', 'stop']);
  assert.deepEqual(await kinds('env=filtered,!old'), ['restart']);
  assert.deepEqual(await kinds('env=filtered', '&kind=stop&status=pending'), ['stop']);
  assert.deepEqual(await kinds('env=filtered', `&server_id=${other}`), ['restart']);
  assert.deepEqual(await kinds('env=nobody'), []);
  const ofOthers = (await list()).filter(({ server_id: id }) => id !== labelled && id !== other);
  assert.deepEqual(idsOf(await selected('!env')), idsOf(ofOthers));
  assert.deepEqual(idsOf(await selected('')), idsOf(await list()), 'an empty one selects all');
  await label(labelled, { env: 'other' });
  assert.deepEqual(await kinds('env=filtered'), ['restart']);
  const counted = await ask('GET', '/operations?limit=1&label_selector=env', {
    prefer: 'count=exact',
  });
  assert.equal(counted.headers['total-count'], '2');
  const refused = await ask('GET', '/operations?label_selector=env%20in%20()');
  assert.deepEqual(refused.json().errors, [
    { parameter: 'label_selector', detail: 'At character 9, it must have a value, not ")".' },
  ]);
  await db.updateTable('servers').set({ deleted_at: new Date() }).where('id', '=', other).execute();
  assert.deepEqual(await kinds('env'), ['stop'], 'a deleted server is not selected');
});

test('operations can be listed in either order, in pages', async () => {
  const ids = idsOf(await list());
  assert.ok(ids.length >= 5);
  for (const sort of ['id', '-id', 'created_at', '-created_at']) {
    const expected = sort.startsWith('-') ? ids.toReversed() : ids;
    assert.deepEqual(idsOf(await list(`?sort=${sort}`)), expected, sort);
    const paged: number[] = [];
    for (let path: string | undefined = `/operations?sort=${sort}&limit=2`; path; ) {
      const answer = await ask('GET', path, { prefix: '/api/v1' });
      paged.push(...idsOf(answer.json()));
      path = /^<\/api\/v1([^>]*)>; rel="next"$/.exec(String(answer.headers.link ?? ''))?.[1];
    }
    assert.deepEqual(paged, expected, sort);
  }
});

test('the operations of a deleted server are kept', async () => {
  await finish(second, 'deleting');
  await db
    .updateTable('servers')
    .set({ deleted_at: new Date() })
    .where('id', '=', second)
    .execute();
  assert.equal((await ask('GET', `/servers/${second}`)).statusCode, 404);
  const statuses = (await list(`?server_id=${second}`)).map(({ status }) => status);
  assert.deepEqual(statuses, ['superseded', 'succeeded']);
});
