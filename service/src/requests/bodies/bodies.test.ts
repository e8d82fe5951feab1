import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  commandPairs,
  errorsOf,
  form,
  formPairs,
  json,
  openProbe,
  valid,
} from '../../testing/probe.ts';

const { multipart, post, postForm, postJson, close } = await openProbe();
after(close);

test('the same body in all three encodings has the same result', async () => {
  const pairs = [...formPairs, ...commandPairs];
  for (const answer of [await postJson(valid), await postForm(pairs), await multipart(pairs)]) {
    assert.equal(answer.statusCode, 200, answer.body);
    assert.deepEqual(answer.json(), valid);
  }
});

test('a body must be UTF-8', async () => {
  const latin = Buffer.from('{"name": "é"}', 'latin1');
  assert.equal((await post(latin, json)).statusCode, 400);
  assert.equal((await post('name=%E9', form)).statusCode, 400);
  assert.equal((await post('name=%zz', form)).statusCode, 400);
  for (const charset of ['utf-8', 'UTF-8', '"utf-8"', 'utf8']) {
    const type = `application/json; charset=${charset}`;
    assert.equal((await post(JSON.stringify(valid), { type })).statusCode, 200, charset);
  }
  for (const charset of ['latin1', 'utf-16', '']) {
    const type = `application/json; charset=${charset}`;
    assert.equal((await post('{}', { type })).statusCode, 415, charset);
  }
});

test('other media types are a 415', async () => {
  for (const type of ['text/plain', 'application/xml', 'application/jsonx', 'nonsense', 'a/b/c']) {
    const answer = await post('{}', { type });
    assert.equal(answer.statusCode, 415, type);
    assert.equal(answer.json().code, 'unsupported_media_type');
  }
  assert.equal((await post('{}')).statusCode, 415);
});

test('a body over 256 KiB is a 413, in each encoding', async () => {
  const size = 256 * 1024;
  assert.equal((await post('x'.repeat(size), json)).statusCode, 400);
  for (const type of [json.type, form.type, 'multipart/form-data; boundary=b', 'text/plain']) {
    const answer = await post('x'.repeat(size + 1), { type });
    assert.equal(answer.statusCode, 413, type);
    assert.equal(answer.json().code, 'body_too_large');
  }
});

test('a body with many errors reports a hundred of them', async () => {
  const field = '"initialCommands":[';
  const bodies: [string, string][] = [
    [`{${field}${'1,'.repeat(4990)}1]}`, json.type],
    [`{${Array.from({ length: 4990 }, (_, at) => `"k${at}":1`).join()}}`, json.type],
    ['initialCommands[]=&'.repeat(4990), form.type],
    ['initialCommands[0][]=&'.repeat(4990), form.type],
  ];
  for (const [payload, type] of bodies) {
    const answer = await post(payload, { type });
    assert.equal(answer.statusCode, 422);
    assert.ok(answer.json().errors.length <= 100);
  }
});

test('a form with more fields than any request needs is refused before it is parsed', async () => {
  const edge = { type: 'multipart/form-data; boundary=edge' };
  const part = (headers = '') => `--edge\r\nContent-Disposition: form-data; name="x"${headers}`;
  const parts = (count: number) => `${`${part()}\r\n\r\n1\r\n`.repeat(count)}--edge--\r\n`;
  const header = (bytes: number) =>
    `${part(`; x="${'y'.repeat(bytes)}"`)}\r\n\r\n1\r\n--edge--\r\n`;
  const taken: [string, { type: string }, number][] = [
    ['a&'.repeat(4999), form, 400],
    [parts(1000), edge, 400],
    [header(100_000), edge, 422],
  ];
  for (const [payload, type, status] of taken) {
    assert.equal((await post(payload, type)).statusCode, status, payload.slice(0, 60));
  }
  const more: [string, { type: string }, RegExp][] = [
    ['a&'.repeat(5000), form, /more than the maximum of 5000 values/],
    ['&'.repeat(250_000), form, /more than the maximum of 5000 values/],
    [parts(1001), edge, /at most 1000 parts/],
    [parts(1001), { type: 'multipart/form-data; charset=utf-8; boundary="edge"' }, /1000 parts/],
    [header(140_000), edge, /128 KiB of headers/],
    [`--edge\r\n${'A:\r\n'.repeat(50_000)}`, edge, /128 KiB of headers/],
  ];
  for (const [payload, type, detail] of more) {
    const answer = await post(payload, type);
    assert.deepEqual([answer.statusCode, answer.json().code], [413, 'body_too_large']);
    assert.match(answer.json().detail, detail);
  }
});

test('a multipart form is parsed with the same boundary that was used to count its parts', async () => {
  const parts = `${'--edge\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n'.repeat(4000)}--edge--\r\n`;
  // One parser reads "edge" here, and another one something else.
  const ambiguous: [string, number, RegExp][] = [
    ['x="; boundary=other"; boundary=edge', 413, /at most 1000 parts/],
    ['boundary="\\edge"', 400, /must have a boundary/],
    ['boundary=other; boundary=edge', 400, /not a valid multipart form/],
  ];
  for (const [parameters, status, detail] of ambiguous) {
    const answer = await post(parts, { type: `multipart/form-data; ${parameters}` });
    assert.equal(answer.statusCode, status, parameters);
    assert.match(answer.json().detail, detail, parameters);
  }
});

test('an action accepts an empty body of any type, and a form', async () => {
  for (const type of [
    undefined,
    json.type,
    form.type,
    'text/plain',
    'nonsense',
    'multipart/form-data',
  ]) {
    for (const url of ['/v1/probe/start', '/v1/probe/stop']) {
      assert.equal((await post('', { url, type })).statusCode, 200, `${url} ${type}`);
    }
  }
  const url = '/v1/probe/stop';
  for (const [text, force] of [
    ['1', true],
    ['true', true],
    ['on', true],
    ['0', false],
    ['false', false],
  ]) {
    const answer = await post(`force=${text}`, { ...form, url });
    assert.deepEqual(answer.json(), { force }, String(text));
  }
  assert.deepEqual((await post('{}', { ...json, url })).json(), {});
  for (const text of ['', 'yes', 'TRUE', '2']) {
    const answer = await post(`force=${text}`, { ...form, url });
    const detail = 'Must be one of true, false, 1, 0, on, off (lowercase).';
    assert.deepEqual(errorsOf(answer), { '/force': detail });
  }
  const typed = await post('{"force": 1}', { ...json, url });
  assert.deepEqual(errorsOf(typed), { '/force': 'Must be true or false, not a number.' });
  const unknown = await post('{"force": true}', { ...json, url: '/v1/probe/start' });
  assert.deepEqual(errorsOf(unknown), { '/force': 'Unknown field.' });
});

test('a DELETE with anything in its body is refused', async () => {
  const remove = (payload: string, type?: string) => post(payload, { method: 'DELETE', type });
  for (const answer of [
    await remove(''),
    await remove('', json.type),
    await remove('{}', json.type),
    await remove('null', json.type),
    await remove('', form.type),
  ]) {
    assert.deepEqual([answer.statusCode, answer.json()], [200, { deleted: true }]);
  }
  for (const answer of [
    await remove('{"force": true}', json.type),
    await remove('force=true', form.type),
  ]) {
    assert.equal(answer.statusCode, 422, answer.body);
    assert.deepEqual(errorsOf(answer), { '/force': 'Unknown field.' });
  }
  for (const [payload, given] of [
    ['[1]', 'an array'],
    ['1', 'a number'],
  ] as const) {
    const answer = await remove(payload, json.type);
    assert.equal(answer.statusCode, 422, answer.body);
    assert.deepEqual(errorsOf(answer), { '': `Must be a JSON object, not ${given}.` });
  }
});
