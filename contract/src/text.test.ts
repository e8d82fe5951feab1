import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Description, Name, Title } from './text.ts';

const words = { description: 'Of a test.', examples: ['A'] };
const takes = (schema: object) => {
  assert.ok('pattern' in schema);
  const regex = new RegExp(String(schema.pattern), 'u');
  return (text: string) => regex.test(text);
};
const asTitle = takes(Title(words));
const asName = takes(Name(words));
const asDescription = takes(Description(words));

test('a line of text can be in any script', () => {
  for (const text of ['Ada Lovelace', ' a ', 'Ζωή', '李小龍', 'שלום', '👩‍🚀', 'a.b-c_d']) {
    assert.ok(asTitle(text) && asDescription(text), text);
  }
});

test('characters that control a terminal or the direction of text are refused', () => {
  for (const character of [
    '\0',
    '\u001b',
    '\n',
    '\u007f',
    '\u009b',
    '\ud800',
    '\u2028',
    '\u202e',
  ]) {
    for (const text of [character, `a${character}`, `${character}a`, `a${character}b`]) {
      assert.ok(!asTitle(text) && !asDescription(text), JSON.stringify(text));
    }
  }
});

test('a description can be blank, and a title cannot', () => {
  for (const text of ['', ' ', '\u00a0']) {
    assert.deepEqual([asTitle(text), asDescription(text)], [false, true], JSON.stringify(text));
  }
});

test('a name that requests can use is a valid title, and neither an id nor a UUID', () => {
  const uuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
  for (const text of [
    uuid,
    uuid.toUpperCase(),
    '1',
    '007',
    '9'.repeat(50),
    '',
    ' ',
    'a\n',
    '\u202e',
  ]) {
    assert.equal(asName(text), false, JSON.stringify(text));
  }
  for (const text of [`${uuid}0`, uuid.slice(1), '1a', '1.0', '1 2', '-1', '1-', '٣', 'deploy']) {
    assert.ok(asName(text), JSON.stringify(text));
  }
});
