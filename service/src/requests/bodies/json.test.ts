import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { errorsOf, json, openProbe, valid } from '../../testing/probe.ts';

const { post, postJson, close } = await openProbe();
after(close);

test('JSON is strictly typed', async () => {
  const range =
    'Must be an integer number of cores, at least 1 and within the limits of the location. The value is';
  for (const [cpu, detail] of [
    ['2', 'Must be an integer number of cores, not a string.'],
    [2.5, 'Must be an integer number of cores, not 2.5.'],
    [true, 'Must be an integer number of cores, not a boolean.'],
    [null, 'Must be an integer number of cores, not null.'],
    [[2], 'Must be an integer number of cores, not an array.'],
    [{}, 'Must be an integer number of cores, not a JSON object.'],
    [0, `${range} 0.`],
    [-1, `${range} -1.`],
    [2 ** 53, `${range} 9.007199254740992e+15.`],
    [1e99, `${range} 1e+99.`],
  ]) {
    const answer = await postJson({ ...valid, cpu });
    assert.equal(answer.statusCode, 422, JSON.stringify(cpu));
    assert.deepEqual(errorsOf(answer), { '/cpu': detail });
  }
  for (const [field, value, detail] of [
    ['password', 12345678901, 'Must be a string, not a number.'],
    ['name', null, 'Must be a string, not null.'],
    ['location_id', false, 'Must be an integer or a string, not a boolean.'],
    ['initialCommands', 'reboot', 'Must be an array, not a string.'],
  ] as const) {
    const answer = await postJson({ ...valid, [field]: value });
    assert.deepEqual(errorsOf(answer), { [`/${field}`]: detail });
  }
  const commands = await postJson({ ...valid, initialCommands: [7] });
  const detail = 'Must be a string or an array, not a number.';
  assert.deepEqual(errorsOf(commands), { '/initialCommands/0': detail });
});

test('ambiguous JSON is refused', async () => {
  for (const text of ['{"cpu": 1, "cpu": 1}', '{"a": [{"x": 1, "\\u0078": 2}]}']) {
    const answer = await post(text, json);
    assert.equal(answer.statusCode, 400);
    assert.match(answer.json().detail, /"(cpu|x)" is given more than once/);
  }
  const nested = await post('{"a": {"b": 1}, "b": {"a": [1, 2, "a", "a"]}}', json);
  assert.equal(nested.statusCode, 422);
});

test('invalid JSON is a 400', async () => {
  const texts = ['{', '{"a":1,}', 'null x', "{'a': 1}", '[1', '{"a": NaN}', '\u0000'];
  for (const text of texts) assert.equal((await post(text, json)).statusCode, 400, text);
  assert.equal((await post('['.repeat(200_000), json)).statusCode, 400);
  for (const text of ['null', '[]', '"a"', '1']) {
    assert.equal((await post(text, json)).statusCode, 422, text.slice(0, 9));
  }
});

test('the error for invalid JSON has the position', async () => {
  const cases = [
    ['{', 'line 1, column 2'],
    ['{"cpu": 1,}', 'line 1, column 11'],
    ['{\n  "cpu": 1,\n  "ram": NaN\n}', 'line 3, column 10'],
    ['{\n  "cpu": 1\n  "ram": 2\n}', 'line 3, column 3'],
    ["{'cpu': 1}", 'line 1, column 2'],
    ['{"name": "a\tb"}', 'line 1, column 10'],
    ['{"cpu": 01}', 'line 1, column 10'],
    ['{} x', 'line 1, column 4'],
    [' ', 'line 1, column 2'],
  ];
  for (const [text = '', place = ''] of cases) {
    const { detail } = (await post(text, json)).json();
    assert.equal(detail, `The body is not valid JSON: see ${place}.`, text);
  }
});

test('the error for JSON without its media type says so', async () => {
  const text = JSON.stringify(valid);
  for (const type of [undefined, 'application/x-www-form-urlencoded']) {
    const answer = await post(text, { type });
    assert.equal(answer.statusCode, 415, answer.body);
    assert.equal(
      answer.json().detail,
      'The body looks like JSON: send Content-Type: application/json.',
    );
  }
});

test('the error for an unknown field suggests the intended one, if it is missing', async () => {
  const { cpu, initialCommands: initial_commands, ...others } = valid;
  const sent = { ...others, cpus: cpu, initial_commands, colour: 'red', names: 'x' };
  assert.deepEqual(errorsOf(await postJson(sent)), {
    '/cpu': 'Is required.',
    '/cpus': 'Unknown field. Did you mean cpu?',
    '/initialCommands': 'Is required.',
    '/initial_commands': 'Unknown field. Did you mean initialCommands?',
    '/colour': 'Unknown field.',
    '/names': 'Unknown field.',
  });
});

const list = (length: number, item = '0') => `[${Array(length).fill(item).join()}]`;

test('a body with too many values is refused before it is parsed', async () => {
  const keys = (count: number) =>
    `{${Array.from({ length: count }, (_, at) => `"${at.toString(36)}":0`).join()}}`;
  const field = (value: string) => `{"initialCommands":${value}}`;
  const most = [keys(4999), list(4999), field(list(4998)), list(2499, '[]'), list(1, list(4998))];
  for (const text of most) assert.equal((await post(text, json)).statusCode, 422, text);
  // The comma after the last value is invalid, but the text is refused before that is detected.
  const more = [keys(5001), list(5001), field(list(5000)), list(2501, '[]'), `${list(6000)},`];
  for (const text of more) {
    const answer = await post(text, json);
    assert.deepEqual([answer.statusCode, answer.json().code], [413, 'body_too_large']);
    assert.match(answer.json().detail, /more than the maximum of 5000 values/);
  }
});

test('commas, brackets and quotes in strings do not count as values', async () => {
  for (const text of [',', '[', ']}', '\\', '\\"[', '\\\\"', '\u0022,']) {
    const name = JSON.stringify(text.repeat(10_000));
    const answer = await post(`{"name":${name}}`, json);
    assert.deepEqual([answer.statusCode, errorsOf(answer)['/cpu']], [422, 'Is required.'], text);
  }
  for (const text of ['"', '"\\', '{"a":"', '{"a":"\\"']) {
    assert.equal((await post(text, json)).statusCode, 400, text);
  }
});

test('a body with too much nesting is refused before it is parsed', async () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  assert.equal((await post(nested(32), json)).statusCode, 422);
  for (const text of [nested(33), nested(100_000), '{"a":'.repeat(33), `{"x":${nested(32)}}`]) {
    const answer = await post(text, json);
    assert.deepEqual([answer.statusCode, answer.json().code], [400, 'malformed_request']);
    assert.equal(answer.json().detail, 'The body is nested more than 32 levels deep.');
  }
});
