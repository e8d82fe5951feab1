import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeMemory } from '../../../../client/testing/memory.ts';
import { copyText } from './copy-text.ts';

const textBytes = 2 ** 18;
const texts = 200;

/** A part of a new text, which nothing else refers to. */
function partOfText(index: number): string {
  const text = Buffer.alloc(textBytes, `name of the instance ${index}, `).toString('latin1');
  return text.slice(0, 'name of the instance'.length);
}

async function usedBytes(): Promise<number> {
  await freeMemory();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('a copy is the same text', () => {
  for (const text of ['', 'srv-1', 'größer 🙂']) assert.equal(copyText(text), text);
});

test('copies do not keep the texts in memory that they were cut out of', async () => {
  const before = await usedBytes();
  const kept = Array.from({ length: texts }, (_, index) => copyText(partOfText(index)));
  const grown = (await usedBytes()) - before;
  assert.ok(grown < (texts * textBytes) / 2, `${grown} bytes more`);
  assert.deepEqual(new Set(kept), new Set(['name of the instance']));
});
