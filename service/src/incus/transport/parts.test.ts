import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseInParts } from './parts.ts';
import '../../testing/fixed-seed.ts';

const long = 'x'.repeat(10_000);
const answer = (metadata: unknown) => ({ type: 'sync', status_code: 200, error: '', metadata });

test('a response of any length is parsed as JSON.parse does', async () => {
  const item = fc.record({ name: fc.string(), config: fc.dictionary(fc.string(), fc.json()) });
  const lists = fc.array(item, { maxLength: 10 });
  const padded = fc.tuple(lists, fc.integer({ min: 0, max: 60 }));
  await fc.assert(
    fc.asyncProperty(padded, async ([items, fillers]) => {
      const filler = { name: '},{"', long };
      const text = JSON.stringify(answer([...items, ...Array(fillers).fill(filler), ...items]));
      assert.deepEqual(await parseInParts(text), JSON.parse(text));
    }),
    { numRuns: 60 },
  );
});

const items = Array.from({ length: 60 }, (_, id) => ({ id, long }));

test('fields after the list are kept', async () => {
  const whole = { metadata: items, type: 'sync', error: '' };
  assert.deepEqual(await parseInParts(JSON.stringify(whole)), whole);
});

test('long lists of another shape are parsed as well', async () => {
  for (const metadata of [
    { items },
    [{ items }],
    [{ items }, { items }],
    items.map(({ id }) => [{ id, long }, { id }]),
    items.map(({ id }) => ({ id, long, text: '},{', other: id })),
  ]) {
    assert.deepEqual(await parseInParts(JSON.stringify(answer(metadata))), answer(metadata));
  }
  for (const metadata of [null, []]) {
    const other = { type: 'sync', metadata, items };
    assert.deepEqual(await parseInParts(JSON.stringify(other)), other);
  }
});

test('a malformed response is refused, wherever it is malformed', async () => {
  const text = JSON.stringify(answer(items));
  for (const at of [0, 1000, text.length / 2, text.length - 1]) {
    const malformed = `${text.slice(0, at)}\n"${text.slice(at + 1)}`;
    await assert.rejects(parseInParts(malformed), SyntaxError);
  }
  await assert.rejects(parseInParts(text.slice(0, -2)), SyntaxError);
});

test('other work is done while a long response is parsed', async () => {
  const many = Array.from({ length: 200_000 }, (_, id) => ({ id, name: String(id), on: true }));
  const text = JSON.stringify(answer(many));
  let turns = 0;
  let isParsed = false;
  const turn = () => {
    turns += 1;
    if (!isParsed) setImmediate(turn);
  };
  setImmediate(turn);
  await parseInParts(text);
  isParsed = true;
  // At least one for each pause after 5 ms of parsing, of which a fast machine needs a multiple.
  assert.ok(turns > 1, String(turns));
});
