import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import { changesNothing } from '../changes/change.ts';
import { Problem } from '../problems/problem.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { keptLog } from '../testing/canaries.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';

const { db, close } = await createTestDatabase();
after(close);

const lines: string[] = [];
const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });

function probeRoutes(api: App): void {
  const config = { scope: 'servers:write' } as const;
  const response = { 200: Type.Any() };
  api.get('/probe', { config, schema: { response } }, async () => ({ ok: true }));
  api.post('/probe', { config, schema: { response } }, (request) =>
    changesNothing(request, Promise.resolve({ ok: true })),
  );
  api.get('/probe/:id', { config, schema: { response } }, async (request) => request.params);
  api.post('/fail/:how', { config, schema: { response } }, async (request) => {
    throw failures[(request.params as { how: string }).how];
  });
}

const inTheWay = {
  ...{ id: 7, status: 'running', error: null },
  ...{ kind: 'stop', server_id: 3, progress: 10 },
};
const failures: Record<string, unknown> = {
  bug: new Error('select password from secrets'),
  text: 'a thrown text',
  connection: Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }),
  shutdown: Object.assign(new Error('terminating'), { code: '57P01' }),
  crowded: Object.assign(new Error('too many'), { code: '53300' }),
  terminated: new Error('Connection terminated unexpectedly'),
  wrapped: new Error('query failed', { cause: new Error('Connection terminated') }),
  busy: new Problem('operation_in_progress', 'Busy.', {
    retryAfter: 2,
    members: { operation: inTheWay },
  }),
};

let app: App;
let headers: Record<string, string>;
before(async () => {
  app = await createTestApp(db, [probeRoutes], { log });
  headers = (await createTestToken(db)).headers;
});
after(() => app.close());

const ask = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'OPTIONS',
  url: string,
  more = {},
) => inject(app, { method, url, headers: { ...headers, ...more } });

test('both prefixes serve the same routes, with and without a trailing slash', async () => {
  for (const url of ['/v1/probe', '/v1/probe/', '/api/v1/probe', '/api/v1/probe/']) {
    assert.deepEqual((await ask('GET', url)).json(), { ok: true }, url);
  }
});

test('the log line of a request has its caller, project and time, and no credentials', async (t) => {
  const { log, lines } = keptLog();
  const logged = await createTestApp(db, [probeRoutes], { log });
  t.after(() => logged.close());
  const { id, token, projectId, headers } = await createTestToken(db);
  const more = { ...headers, 'x-request-id': 'asked-1', cookie: 'a=canary-cookie' };
  await inject(logged, { url: '/v1/probe?secret=canary-query', headers: more });
  await inject(logged, { url: '/v1/probe', headers: { authorization: 'Bearer canary-token' } });
  const [known, unknown] = lines.map((line) => JSON.parse(line)).filter(({ route }) => route);
  assert.match(known.time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const { time: _, milliseconds, pid, hostname, ...line } = known;
  assert.deepEqual(line, {
    ...{ level: 'info', request_id: 'asked-1', msg: 'A request was answered.' },
    ...{ address: '127.0.0.1', token_id: id, user_id: null, project_id: projectId },
    ...{ method: 'GET', path: '/v1/probe', route: '/v1/probe', status: 422 },
  });
  assert.ok([milliseconds, pid].every(Number.isInteger) && hostname);
  const { address, token_id, user_id, status } = unknown;
  assert.deepEqual([address, token_id, user_id, status], ['127.0.0.1', null, null, 401]);
  assert.equal(unknown.project_id, null);
  for (const text of [token, 'canary']) assert.ok(!lines.join('').includes(text), text);
});

test('an unknown path is a 404, with and without a token', async () => {
  for (const url of [
    '/v2',
    '/v2/probe',
    '/v1/probes',
    '/v1/probe/1/2',
    `/v1/${'x'.repeat(5000)}`,
  ]) {
    const answer = await ask('GET', url);
    assert.equal(answer.statusCode, 404, url);
    assert.equal(answer.json().code, 'not_found');
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal((await inject(app, { url })).statusCode, 404);
  }
});

test('an invalid path is a 400', async () => {
  const answer = await ask('GET', '/v1/%zz');
  assert.equal(answer.statusCode, 400);
  assert.equal(answer.json().code, 'malformed_request');
  assert.match(answer.json().detail, /percent sign.*escape sequence/);
});

test('a known path with another method is a 405 with the allowed methods', async () => {
  for (const [method, url] of [
    ['PUT', '/v1/probe'],
    ['DELETE', '/api/v1/probe/'],
  ] as const) {
    const answer = await ask(method, url);
    assert.equal(answer.statusCode, 405);
    assert.equal(answer.headers.allow, 'GET, HEAD, OPTIONS, POST');
    assert.equal(answer.headers['cache-control'], 'no-store');
    const words = 'It supports GET, HEAD, OPTIONS and POST.';
    assert.equal(answer.json().detail, `This path does not support ${method}. ${words}`);
  }
  const one = await ask('POST', '/v1/probe/1');
  assert.equal(one.headers.allow, 'GET, HEAD, OPTIONS');
});

test('HEAD is a GET without its body, and OPTIONS returns the methods', async () => {
  const head = await ask('HEAD', '/v1/probe');
  assert.equal(head.statusCode, 200);
  assert.equal(head.body, '');
  const options = await inject(app, { method: 'OPTIONS', url: '/v1/probe' });
  assert.equal(options.statusCode, 204);
  assert.equal(options.headers.allow, 'GET, HEAD, OPTIONS, POST');
});

test('a client that does not accept JSON gets a 406', async () => {
  for (const accept of [
    'text/html',
    'application/xml',
    'application/json;q=0',
    'application/json;q=0, */*',
    '',
  ]) {
    const answer = await ask('GET', '/v1/probe', { accept });
    assert.equal(answer.statusCode, 406, accept);
    assert.equal(answer.headers['cache-control'], 'no-store');
  }
  for (const accept of [
    '*/*',
    'application/*',
    'Application/JSON',
    'text/html, */*;q=0.1',
    'application/json; charset=utf-8',
  ]) {
    assert.equal((await ask('GET', '/v1/probe', { accept })).statusCode, 200, accept);
  }
});

test('every response has a request id, which is that of the client if it is valid', async () => {
  for (const id of ['abc', 'A.b_c-1', 'x'.repeat(64)]) {
    const answer = await ask('GET', '/v1/nothing', { 'x-request-id': id });
    assert.equal(answer.headers['x-request-id'], id);
    assert.equal(answer.json().request_id, id);
  }
  for (const id of ['', 'a b', 'x'.repeat(65), 'a"b']) {
    const answer = await ask('GET', '/v1/probe', { 'x-request-id': id });
    assert.match(String(answer.headers['x-request-id']), /^[0-9a-f-]{36}$/);
  }
});

test('an unknown query parameter is refused by name', async () => {
  for (const method of ['GET', 'POST'] as const) {
    const answer = await ask(method, '/v1/probe?limitt=1');
    assert.equal(answer.statusCode, 422);
    const errors = [{ parameter: 'limitt', detail: 'Unknown query parameter.' }];
    assert.deepEqual(answer.json().errors, errors);
  }
});

test('an internal error shows no details, and the log has them with the request id', async () => {
  for (const how of ['bug', 'text']) {
    const answer = await ask('POST', `/v1/fail/${how}`, { 'x-request-id': `failing-${how}` });
    assert.equal(answer.statusCode, 500);
    assert.equal(answer.json().code, 'internal_error');
    assert.ok(!answer.body.includes('secrets') && !answer.body.includes('thrown'));
    const logged = lines.find((line) => line.includes(`failing-${how}`) && line.includes('"err"'));
    assert.match(logged ?? '', /secrets|thrown/);
  }
});

test('an unavailable database is a 503', async () => {
  for (const how of ['connection', 'shutdown', 'crowded', 'terminated', 'wrapped']) {
    const answer = await ask('POST', `/v1/fail/${how}`);
    assert.equal(answer.statusCode, 503, how);
    assert.equal(answer.json().code, 'unavailable');
    assert.equal(answer.headers['retry-after'], '2');
  }
});

test('a problem has its members and headers', async () => {
  const answer = await ask('POST', '/v1/fail/busy');
  assert.equal(answer.headers['content-type'], 'application/problem+json; charset=utf-8');
  assert.equal(answer.headers['retry-after'], '2');
  const { request_id: _, ...problem } = answer.json();
  assert.deepEqual(problem, {
    type: '/docs/errors#operation_in_progress',
    title: 'Another operation is in progress',
    status: 409,
    detail: 'Busy.',
    code: 'operation_in_progress',
    message: 'Busy.',
    operation: inTheWay,
  });
});

test('the log has neither tokens nor bodies nor queries', async () => {
  const payload = { secret: 'in-the-body' };
  await inject(app, { method: 'POST', url: '/v1/probe?q=in-the-query', headers, payload });
  const all = lines.join('');
  assert.ok(all.includes('/v1/probe'));
  for (const text of ['in-the-body', 'in-the-query', 'berth_'])
    assert.ok(!all.includes(text), text);
});

test('the documentation loads nothing from other hosts', async () => {
  const page = await app.inject('/docs/');
  assert.equal(page.statusCode, 200);
  const sources = [...page.body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, source]) => source);
  assert.deepEqual(sources, ['js/scalar.js']);
  assert.equal((await app.inject('/docs/js/scalar.js')).statusCode, 200);
  assert.equal((await app.inject('/docs')).headers.location, '/docs/');
  assert.equal((await app.inject('/favicon.ico')).statusCode, 204);
  assert.match((await app.inject('/docs/errors')).body, /id="validation_failed"/);
  const document = (await app.inject('/openapi.json')).json();
  assert.equal(document.openapi, '3.1.0');
  assert.deepEqual(Object.keys(document.paths), ['/v1/probe', '/v1/probe/{id}', '/v1/fail/{how}']);
});

test('invalid HTTP gets a response as well', async () => {
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  socket.write('nonsense\r\n\r\n');
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1.1 400 Bad Request\r\n/);
  assert.equal(JSON.parse(String(answer).split('\r\n\r\n')[1] ?? '').code, 'malformed_request');
  socket.destroy();
});
