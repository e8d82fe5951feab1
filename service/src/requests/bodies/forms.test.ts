import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { commandPairs, errorsOf, formPairs, openProbe } from '../../testing/probe.ts';

const { multipart, post, postForm, close } = await openProbe();
after(close);

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

test('a member of an object in a form is written in brackets', async () => {
  const pairs: [string, string][] = [
    ...[...formPairs, ...commandPairs],
    ['labels[env]', 'prod'],
    ['labels[example.com/tier]', ''],
    ['labels[constructor]', '1'],
    ['protection[delete]', 'on'],
  ];
  for (const answer of [await postForm(pairs), await multipart(pairs)]) {
    const { labels, protection } = answer.json();
    assert.deepEqual(labels, { env: 'prod', 'example.com/tier': '', constructor: '1' });
    assert.deepEqual(protection, { delete: true });
  }
  const invalid: [string, string][] = [
    ['labels[-]', 'x'],
    ['labels[env]', 'a b'],
    ['protection[stop]', 'true'],
    ['protection[delete]', 'yes'],
  ];
  const refused = await postForm([...formPairs, ...commandPairs, ...invalid]);
  const { '/labels/env': ofValue, '/protection/delete': ofAction, ...others } = errorsOf(refused);
  assert.match(ofValue ?? '', /^A value must be empty, or at most 63 letters/);
  assert.equal(ofAction, 'Must be one of true, false, 1, 0, on, off (lowercase).');
  assert.deepEqual(Object.keys(others).sort(), ['/labels/-', '/protection/stop']);
});

test('a list as JSON in a form is refused, with how to send it', async () => {
  for (const json of ['[]', '["a"]', ' ["a", ["b", "c"]]\n', '[["a"]]']) {
    const pairs: [string, string][] = [...formPairs, ['initialCommands', json]];
    for (const answer of [await postForm(pairs), await multipart(pairs)]) {
      assert.equal(answer.statusCode, 422, json);
      assert.match(
        errorsOf(answer)['/initialCommands'] ?? '',
        /^Must be sent as a field `initialC/,
      );
    }
  }
  const part =
    'Content-Disposition: form-data; name="initialCommands"\r\nContent-Type: application/json';
  const typed = await post(`--b\r\n${part}\r\n\r\n["a"]\r\n--b--\r\n`, {
    type: 'multipart/form-data; boundary=b',
  });
  assert.deepEqual(Object.keys(errorsOf(typed)), ['/initialCommands']);
  for (const command of ['[ -e /x ]', '[1]', '["a"', '["a"] && b']) {
    const answer = await postForm([...formPairs, ['initialCommands', command]]);
    assert.deepEqual(answer.json().initialCommands, [command]);
  }
  const asItem = await postForm([...formPairs, ['initialCommands[]', '["a"]']]);
  assert.deepEqual(asItem.json().initialCommands, ['["a"]']);
});

test('a number in a form consists of digits only', async () => {
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
      const { '/cpu': detail = '', ...others } = errorsOf(answer);
      assert.match(detail, /^Must be an integer number of cores, at least 1 /);
      assert.deepEqual(others, {});
    }
  }
});

test('a repeated field of a form is a 400', async () => {
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
    [
      ['labels[a]', 'b'],
      ['labels[a]', 'b'],
    ],
    [
      ['labels', ''],
      ['labels[a]', 'b'],
    ],
  ] as [string, string][][]) {
    for (const answer of [await postForm(pairs), await multipart(pairs)]) {
      assert.equal(answer.statusCode, 400, JSON.stringify(pairs));
      assert.match(answer.json().detail, /given more than once/);
    }
  }
});

test('a multipart form has no files, and must be complete', async () => {
  const file = new File(['x'], 'a.txt');
  const answer = await multipart([...formPairs, ['initialCommands[]', file]]);
  assert.equal(answer.statusCode, 422);
  assert.deepEqual(Object.keys(errorsOf(answer)), ['/initialCommands[]']);
  // As with other fields, the name is written as RFC 6901 wants it, and cut where it may be a secret.
  for (const [name, pointer] of [
    ['a/b~c', '/a~1b~0c'],
    ['s'.repeat(60), `/${'s'.repeat(40)}…`],
  ] as const) {
    assert.deepEqual(Object.keys(errorsOf(await multipart([[name, file]]))), [pointer]);
  }
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=b']) {
    assert.equal((await post('--c\r\n', { type })).statusCode, 400, type);
  }
});
