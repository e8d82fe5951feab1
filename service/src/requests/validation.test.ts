import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { commandPairs, errorsOf, formPairs, json, openProbe, valid } from '../testing/probe.ts';

const { post, postForm, postJson, close } = await openProbe();
after(close);

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

test('host names are those of RFC 1123, except IDs and addresses', async () => {
  const label = 'a'.repeat(63);
  const good = [
    'a',
    '3f2504e0-4f89-41d3-9a0c-0305e82c330x',
    '1a',
    'A-1',
    '1a.2b',
    '1.2.3',
    `${label}.${label}.${label}.${'a'.repeat(61)}`,
  ];
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
    '1',
    '1.2.3.4',
    '::1',
    '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    '3F2504E0-4F89-41D3-9A0C-0305E82C3301',
    'a\n',
    'a\0',
  ];
  for (const name of [...bad, `${label}a`, `${label}.${label}.${label}.${'a'.repeat(62)}`]) {
    const answer = await postJson({ ...valid, name });
    assert.deepEqual(Object.keys(errorsOf(answer)), ['/name'], JSON.stringify(name));
  }
});

test('the length of passwords is counted in characters, and they can not contain control characters', async () => {
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
    assert.ok(!answer.body.includes('12345678'), 'the response does not contain the password');
  }
});

test('commands are limited in number, in bytes and in characters', async () => {
  const good = [
    [],
    Array(64).fill('true'),
    ['x'.repeat(4096)],
    ['é'.repeat(2048)],
    ['a\t\r\n'],
    [['echo', '']],
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
    '',
    ' \n\t',
    [''],
    [' ', 'a'],
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
  for (const blank of ['', ' \n']) {
    const answer = await postJson({ ...valid, initialCommands: ['true', blank] });
    assert.deepEqual(errorsOf(answer), { '/initialCommands/1': 'Must not be blank.' });
  }
  for (const initialCommands of [Array(65).fill('true'), 'true', null, {}]) {
    const answer = await postJson({ ...valid, initialCommands });
    assert.deepEqual(Object.keys(errorsOf(answer)), ['/initialCommands']);
  }
});

test('no error shows a regular expression', async () => {
  const answer = await postJson({ ...valid, name: '!', password: '\n', initialCommands: ['\0'] });
  assert.ok(!/[\\^$]/.test(answer.json().detail), answer.body);
});
