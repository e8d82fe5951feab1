import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../service/src/testing/until.ts';
import { disconnect, json, page, problem, type Reply, serve, silence } from '../testing/server.ts';
import {
  BerthError,
  ConnectionFailedError,
  createBerth,
  QuotaExceededError,
  UnexpectedResponseError,
  ValidationFailedError,
} from './index.ts';

/** The error of a read that is answered like this. */
async function errorFor(reply: Reply): Promise<BerthError> {
  const { berth } = await serve([reply], { retries: 0 });
  const error = await berth.GET('/v1/servers').catch((error: unknown) => error);
  assert.ok(error instanceof BerthError);
  return error;
}

test('a request has the token, the project, the program and its parameters', async () => {
  const options = { token: 'berth_x', project: 7, userAgent: 'deploy/1.2' };
  const { url, requests } = await serve([json([{ id: 1, hostname: 'web-1' }])]);
  const berth = createBerth({ url: `${url}/cloud/`, ...options });
  const query = { status: ['started' as const, 'stopped' as const], q: 'a b' };
  const { data, response } = await berth.GET('/v1/servers', { params: { query } });
  assert.equal(data[0]?.hostname, 'web-1');
  assert.equal(response.status, 200);
  const [request] = requests;
  assert.equal(request?.url, '/cloud/v1/servers?status=started,stopped&q=a%20b');
  assert.equal(request?.headers.authorization, 'Bearer berth_x');
  assert.equal(request?.headers['berth-project'], '7');
  assert.equal(request?.headers['user-agent'], 'deploy/1.2');
});

test('a problem is an error of the class of its code, with its fields', async () => {
  const errors = [{ pointer: '/cpu', detail: 'Must be an integer from 1.' }];
  const invalid = await errorFor(problem(422, 'validation_failed', {}, { errors }));
  assert.ok(invalid instanceof ValidationFailedError);
  assert.equal(invalid.name, 'ValidationFailedError');
  assert.equal(invalid.code, 'validation_failed');
  assert.equal(invalid.status, 422);
  assert.equal(invalid.message, 'Its detail.');
  assert.equal(invalid.detail, 'Its detail.');
  assert.equal(invalid.requestId, 'r');
  assert.deepEqual(invalid.errors, errors);
  const exceeded = await errorFor(problem(403, 'quota_exceeded', {}, { quota: 'ram', limit: 8 }));
  assert.ok(exceeded instanceof QuotaExceededError);
  assert.equal(exceeded.problem?.quota, 'ram');
  assert.deepEqual(exceeded.errors, []);
});

test('the code of a newer service is an error without a class of its own', async () => {
  for (const code of ['of_the_future', 'constructor']) {
    const error = await errorFor(problem(409, code));
    assert.equal(error.constructor, BerthError);
    assert.equal(error.code, code);
  }
});

test('a response that is not of Berth is an error that names its URL', async () => {
  const html: Reply = (response) => response.end('<html></html>');
  for (const reply of [page(502), page(404), html, json({ error: 'no' }, {}, 500)]) {
    const error = await errorFor(reply);
    assert.ok(error instanceof UnexpectedResponseError);
    assert.match(error.detail, /^http:\/\/127\.0\.0\.1:\d+\/v1\/servers was not answered by Berth/);
  }
});

test('a connection that fails before or in the response is an error with its cause', async () => {
  const cutOff: Reply = (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
    response.write('[{"id"', () => response.destroy());
  };
  for (const reply of [disconnect, cutOff]) {
    const error = await errorFor(reply);
    assert.ok(error instanceof ConnectionFailedError);
    assert.equal(error.status, undefined);
    assert.ok(error.cause instanceof Error);
    assert.match(error.detail, /^The connection to the service failed: \S/);
  }
});

test('an abort of the request or of the client ends a request with its reason', async () => {
  const ofClient = new AbortController();
  const { berth, requests } = await serve([silence], { signal: ofClient.signal });
  const ofRequest = new AbortController();
  const first = berth.GET('/v1/servers', { signal: ofRequest.signal });
  const second = berth.GET('/v1/servers');
  const failing = Promise.all([
    assert.rejects(first, { name: 'AbortError' }),
    assert.rejects(second, /program ends/),
  ]);
  await until('both requests are sent', () => requests.length === 2);
  ofRequest.abort();
  ofClient.abort(new Error('The program ends.'));
  await failing;
  await assert.rejects(berth.GET('/v1/servers'), /program ends/);
  assert.equal(requests.length, 2);
});

test('middleware sees each request, and its own errors are not those of the connection', async () => {
  const { berth, requests } = await serve([json([])]);
  berth.use({ onRequest: ({ request }) => request.headers.set('Berth-CSRF', 'x') });
  await berth.GET('/v1/servers');
  assert.equal(requests[0]?.headers['berth-csrf'], 'x');
  const onResponse = () => {
    throw new RangeError('It is mine.');
  };
  berth.use({ onResponse });
  await assert.rejects(berth.GET('/v1/servers'), RangeError);
});

test('a client is not created for an invalid URL', () => {
  for (const url of ['berth.example', '127.0.0.1:8080', 'localhost:8080', 'http://', ''])
    assert.throws(() => createBerth({ url }), {
      name: 'TypeError',
      message: /^The option `url` must be a URL with http or https/,
    });
});

test('a client is not created for an option that no header can have, and the error does not have it', () => {
  const url = 'http://berth.example';
  for (const option of ['token', 'project', 'userAgent'] as const)
    for (const value of ['berth_x\ncanary', 'berth_x\0canary', 'canary…'])
      assert.throws(
        () => createBerth({ url, [option]: value }),
        (error) => {
          assert.ok(error instanceof TypeError);
          assert.match(error.message, new RegExp(`^The option \`${option}\` has a character`));
          assert.doesNotMatch(`${error.stack} ${String(error.cause)}`, /canary/);
          return true;
        },
      );
  // The end of a line that was read from a file is not part of a token.
  createBerth({ url, token: 'berth_x\n' });
});

test('a parameter of the path that would change the path is refused before anything is sent', async () => {
  const { berth, requests } = await serve([json({})]);
  const path = '/v1/projects/{id}/members/{user_id}';
  for (const value of ['', '.', '..', undefined as unknown as string]) {
    const params = { path: { id: 5, user_id: value } };
    await assert.rejects(berth.DELETE(path, { params }), (error) => {
      assert.ok(error instanceof ValidationFailedError);
      assert.match(error.detail, /^The parameter user_id of .* It must be an ID or a name\.$/);
      return true;
    });
  }
  assert.equal(requests.length, 0);
  await berth.GET('/v1/servers/{id}', { params: { path: { id: '../a?b' } } });
  assert.equal(requests[0]?.url, '/v1/servers/..%2Fa%3Fb');
});

test('a redirect is not followed, and its error names where it leads', async () => {
  const elsewhere = await serve([json({})]);
  for (const status of [301, 302, 303, 307, 308]) {
    const target = `${elsewhere.url}/v1/session`;
    const redirect: Reply = (response) => response.writeHead(status, { Location: target }).end();
    const { url, berth, requests } = await serve([redirect]);
    const body = { email: 'ada@example.com', password: 'secret' };
    await assert.rejects(berth.POST('/v1/session', { body }), (error) => {
      assert.ok(error instanceof UnexpectedResponseError);
      assert.equal(error.status, status);
      assert.ok(error.detail.startsWith(`${url}/v1/session redirects to ${target}.`), error.detail);
      return true;
    });
    assert.equal(requests.length, 1);
  }
  assert.equal(elsewhere.requests.length, 0);
});

test('a redirect that a browser hides is an error that says so', async () => {
  const hidden = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' });
  const berth = createBerth({ url: 'http://berth.example', fetch: async () => hidden });
  await assert.rejects(berth.GET('/v1/servers'), (error) => {
    assert.ok(error instanceof UnexpectedResponseError);
    assert.match(error.detail, / redirects to another URL\./);
    return true;
  });
});
