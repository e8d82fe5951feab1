import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ServerCreate, ServerStop } from '@berth/contract/servers';
import { Type } from 'typebox';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import type { App } from './app-types.ts';

const { db, close } = await createTestDatabase();
after(close);

let app: App;
let headers: Record<string, string>;

/** Answers with what it was given. */
function probeRoutes(api: App): void {
  const schema = { body: ServerCreate, response: { 200: Type.Any() } };
  const config = { scope: 'servers:write' } as const;
  api.post('/probe', { config, schema }, async (request) => request.body);
  const stop = { body: ServerStop, response: { 200: Type.Any() } };
  api.post('/probe/stop', { config, schema: stop }, async (request) => request.body);
  const start = { response: { 200: Type.Any() } };
  api.post('/probe/start', { config, schema: start }, async () => ({ started: true }));
}

before(async () => {
  app = await createTestApp(db, [probeRoutes]);
  headers = (await createTestToken(db)).headers;
});
after(() => app.close());

const valid = {
  name: 'web-1.example.com',
  location_id: 1,
  os_id: 2,
  password: 'grüße, 世界 😀',
  initialCommands: ['echo "hi"\n\ttrue', ['touch', '/a b', '']],
  cpu: 2,
  ram: 2048,
  disk: 20,
};

interface Sent {
  url?: string;
  type?: string | undefined;
}

async function post(payload: string | Buffer, { url = '/v1/probe', type }: Sent = {}) {
  const typed = type === undefined ? headers : { ...headers, 'content-type': type };
  return await inject(app, { method: 'POST', url, payload, headers: typed });
}

const json = { type: 'application/json' };
const form = { type: 'application/x-www-form-urlencoded' };

function postJson(value: unknown) {
  return post(JSON.stringify(value), json);
}

const formPairs: [string, string][] = [
  ['name', valid.name],
  ['location_id', '1'],
  ['os_id', '2'],
  ['password', valid.password],
  ['cpu', '2'],
  ['ram', '2048'],
  ['disk', '20'],
];
const commandPairs: [string, string][] = [
  ['initialCommands[]', 'echo "hi"\n\ttrue'],
  ['initialCommands[1][]', 'touch'],
  ['initialCommands[1][]', '/a b'],
  ['initialCommands[1][]', ''],
];

function postForm(pairs: [string, string][]) {
  return post(new URLSearchParams(pairs).toString(), form);
}

/** The bad fields of an answer, by pointer. */
function errorsOf(answer: { json(): { errors: { pointer: string; detail: string }[] } }) {
  return Object.fromEntries(answer.json().errors.map((e) => [e.pointer, e.detail]));
}

async function multipart(pairs: [string, string | File][]) {
  const data = new FormData();
  for (const [name, value] of pairs) data.append(name, value);
  const sent = new Response(data);
  const type = sent.headers.get('content-type') ?? '';
  return await post(Buffer.from(await sent.arrayBuffer()), { type });
}

test('the same body in all three encodings comes to the same', async () => {
  const pairs = [...formPairs, ...commandPairs];
  for (const answer of [await postJson(valid), await postForm(pairs), await multipart(pairs)]) {
    assert.equal(answer.statusCode, 200, answer.body);
    assert.deepEqual(answer.json(), valid);
  }
});

test('a list in a form can be written in several ways', async () => {
  const ways: [[string, string][], unknown][] = [
    [
      [
        ['initialCommands[]', 'a'],
        ['initialCommands[]', 'b'],
      ],
      ['a', 'b'],
    ],
    [
      [
        ['initialCommands', 'a'],
        ['initialCommands', 'b'],
      ],
      ['a', 'b'],
    ],
    [
      [
        ['initialCommands[1]', 'b'],
        ['initialCommands[0]', 'a'],
      ],
      ['a', 'b'],
    ],
    [
      [
        ['initialCommands[0][0]', 'a'],
        ['initialCommands[0][1]', 'b'],
      ],
      [['a', 'b']],
    ],
    [[['initialCommands[]', '']], []],
    [[['initialCommands', '']], []],
  ];
  for (const [pairs, expected] of ways) {
    const answer = await postForm([...formPairs, ...pairs]);
    assert.deepEqual(answer.json().initialCommands, expected, JSON.stringify(pairs));
  }
});

test('every missing field is named', async () => {
  for (const answer of [await postJson({}), await post('', json), await post('')]) {
    assert.equal(answer.statusCode, 422);
    const pointers = Object.keys(errorsOf(answer)).sort();
    assert.deepEqual(
      pointers,
      Object.keys(valid)
        .map((name) => `/${name}`)
        .sort(),
    );
  }
});

test('JSON is strictly typed', async () => {
  for (const cpu of ['2', 2.5, true, null, [2], {}, 0, -1, 2 ** 53]) {
    const answer = await postJson({ ...valid, cpu });
    assert.equal(answer.statusCode, 422, JSON.stringify(cpu));
    assert.deepEqual(errorsOf(answer), { '/cpu': 'Must be a whole number of cores, from 1.' });
  }
});

test('a number in a form is digits and nothing else', async () => {
  for (const cpu of [
    '2abc',
    '1e3',
    ' 2',
    '2 ',
    '',
    '02',
    '+2',
    '2.0',
    '0x2',
    '-1',
    '9'.repeat(30),
  ]) {
    const pairs = [...formPairs, ...commandPairs].map(([name, value]): [string, string] =>
      name === 'cpu' ? [name, cpu] : [name, value],
    );
    for (const answer of [await postForm(pairs), await multipart(pairs)]) {
      assert.equal(answer.statusCode, 422, JSON.stringify(cpu));
      assert.deepEqual(errorsOf(answer), { '/cpu': 'Must be a whole number of cores, from 1.' });
    }
  }
});

test('host names are as RFC 1123 has them', async () => {
  const label = 'a'.repeat(63);
  const good = ['a', '1', 'A-1', '1a.2b', '1.2.3', `${label}.${label}.${label}.${'a'.repeat(61)}`];
  for (const name of good) assert.equal((await postJson({ ...valid, name })).statusCode, 200, name);
  const bad = [
    '',
    '-a',
    'a-',
    'a..b',
    'a.',
    '.a',
    'a_b',
    'a b',
    'é',
    '1.2.3.4',
    '::1',
    'a\n',
    'a\0',
  ];
  for (const name of [...bad, `${label}a`, `${label}.${label}.${label}.${'a'.repeat(62)}`]) {
    const answer = await postJson({ ...valid, name });
    assert.deepEqual(Object.keys(errorsOf(answer)), ['/name'], JSON.stringify(name));
  }
});

test('passwords are counted in characters and hold no control characters', async () => {
  const good = ['12345678', `${'😀'.repeat(127)}é`, '        '];
  for (const password of good)
    assert.equal((await postJson({ ...valid, password })).statusCode, 200);
  const bad = [
    '1234567',
    'x'.repeat(129),
    '😀'.repeat(128),
    '12345678\n',
    '1234\u00005678',
    '12345678\u007f',
    '12345678\u0085',
    '12345678\ud800',
  ];
  for (const password of bad) {
    const answer = await postJson({ ...valid, password });
    assert.deepEqual(Object.keys(errorsOf(answer)), ['/password'], JSON.stringify(password));
    assert.ok(!answer.body.includes('12345678'), 'the password comes back');
  }
});

test('commands are bounded in number, in bytes and in characters', async () => {
  const good = [
    [],
    Array(64).fill('true'),
    ['x'.repeat(4096)],
    ['é'.repeat(2048)],
    ['a\t\r\n'],
    [''],
  ];
  for (const initialCommands of good) {
    assert.equal((await postJson({ ...valid, initialCommands })).statusCode, 200);
  }
  const bad = [
    'x'.repeat(4097),
    'é'.repeat(2049),
    'a\0',
    'a\u001b[0m',
    [],
    ['x'.repeat(4000), 'y'.repeat(97)],
    ['a', 1],
    7,
    null,
    {},
  ];
  for (const command of bad) {
    const answer = await postJson({ ...valid, initialCommands: ['true', command] });
    assert.deepEqual(
      Object.keys(errorsOf(answer)),
      ['/initialCommands/1'],
      JSON.stringify(command),
    );
  }
  for (const initialCommands of [Array(65).fill('true'), 'true', null, {}]) {
    const answer = await postJson({ ...valid, initialCommands });
    assert.deepEqual(Object.keys(errorsOf(answer)), ['/initialCommands']);
  }
});

test('no answer shows an expression', async () => {
  const answer = await postJson({ ...valid, name: '!', password: '\n', initialCommands: ['\0'] });
  assert.ok(!/[\\^$]/.test(answer.json().detail), answer.body);
});

test('an unknown field is refused by name, whatever the name', async () => {
  const answer = await post(
    `{"__proto__": {"x": 1}, "a/b~c": 1, "constructor": 2, ${JSON.stringify(valid).slice(1)}`,
    json,
  );
  assert.deepEqual(Object.keys(errorsOf(answer)).sort(), [
    '/__proto__',
    '/a~1b~0c',
    '/constructor',
  ]);
  const inForm = await postForm([
    ...formPairs,
    ...commandPairs,
    ['__proto__', '1'],
    ['cpu[x]', '1'],
  ]);
  assert.deepEqual(Object.keys(errorsOf(inForm)).sort(), ['/__proto__', '/cpu[x]']);
});

test('JSON that can be read in two ways is refused', async () => {
  for (const text of ['{"cpu": 1, "cpu": 1}', '{"a": [{"x": 1, "\\u0078": 2}]}']) {
    const answer = await post(text, json);
    assert.equal(answer.statusCode, 400);
    assert.match(answer.json().detail, /"(cpu|x)" is given more than once/);
  }
  const nested = await post('{"a": {"b": 1}, "b": {"a": [1, 2, "a", "a"]}}', json);
  assert.equal(nested.statusCode, 422);
});

test('what is not JSON is a 400', async () => {
  const texts = ['{', '{"a":1,}', 'null x', "{'a': 1}", '[1', '{"a": NaN}', '\u0000'];
  for (const text of texts) assert.equal((await post(text, json)).statusCode, 400, text);
  assert.equal((await post('['.repeat(200_000), json)).statusCode, 400);
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  for (const text of [deep, 'null', '[]', '"a"', '1']) {
    assert.equal((await post(text, json)).statusCode, 422, text.slice(0, 9));
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

test('a field of a form that is given twice is a 400', async () => {
  for (const pairs of [
    [
      ['cpu', '1'],
      ['cpu', '1'],
    ],
    [
      ['initialCommands[0]', 'a'],
      ['initialCommands[0]', 'b'],
    ],
    [
      ['initialCommands[0][]', 'a'],
      ['initialCommands[0]', 'b'],
    ],
  ] as [string, string][][]) {
    for (const answer of [await postForm(pairs), await multipart(pairs)]) {
      assert.equal(answer.statusCode, 400, JSON.stringify(pairs));
      assert.match(answer.json().detail, /given more than once/);
    }
  }
});

test('a body that is wrong all over is refused in no time', async () => {
  const field = '"initialCommands":[';
  const bodies: [string, string][] = [
    [`{${field}${'1,'.repeat(120_000)}1]}`, json.type],
    [`{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":1`).join()}}`, json.type],
    ['initialCommands[]=&'.repeat(13_000), form.type],
    ['initialCommands[0][]=&'.repeat(11_000), form.type],
  ];
  for (const [payload, type] of bodies) {
    const begin = performance.now();
    const answer = await post(payload, { type });
    assert.ok(performance.now() - begin < 1500, payload.slice(0, 25));
    assert.equal(answer.statusCode, 422);
    assert.ok(answer.json().errors.length <= 100);
  }
});

test('a multipart form takes no files, and must be whole', async () => {
  const file = new File(['x'], 'a.txt');
  const answer = await multipart([...formPairs, ['initialCommands[]', file]]);
  assert.equal(answer.statusCode, 422);
  assert.deepEqual(Object.keys(errorsOf(answer)), ['/initialCommands[]']);
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=b']) {
    assert.equal((await post('--c\r\n', { type })).statusCode, 400, type);
  }
});

test('an action takes an empty body of any type, and a form', async () => {
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
  assert.deepEqual((await post('{}', { ...json, url })).json(), { force: false });
  for (const text of ['', 'yes', 'TRUE', '2']) {
    const answer = await post(`force=${text}`, { ...form, url });
    assert.deepEqual(errorsOf(answer), { '/force': 'Must be true or false.' });
  }
  const typed = await post('{"force": 1}', { ...json, url });
  assert.deepEqual(errorsOf(typed), { '/force': 'Must be true or false.' });
  const unknown = await post('{"force": true}', { ...json, url: '/v1/probe/start' });
  assert.deepEqual(errorsOf(unknown), { '/force': 'Is not a field of this request.' });
});
