import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EventsPage, type Older, readLatest } from './pages.ts';
import { pagesWith } from './take.ts';

/** The API with events of these IDs, which notes how often it was asked. */
function apiWith(ids: readonly number[]) {
  const asked: number[] = [];
  const read = async (after: number, limit: number) => {
    asked.push(after);
    return ids
      .filter((id) => id > after)
      .slice(0, limit)
      .map((id) => ({ id }));
  };
  return { read, asked };
}

const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, nth) => from + nth * step);

async function readAll(ids: readonly number[], until: number) {
  const { read, asked } = apiWith(ids);
  const found: number[] = [];
  let older: Older | null = { first: ids[0] ?? 1, until };
  while (older) {
    const page: EventsPage<{ id: number }> = await readLatest(read, older);
    found.push(...page.events.map(({ id }) => id));
    older = page.older;
  }
  return { found, asked };
}

test('all events are read once, the latest first, however far apart they are', async () => {
  const cases = [
    range(1, 5000),
    range(1, 100_000, 700),
    [1, 2, 90_000],
    [...range(1, 20_000), ...range(200_000, 200_010)],
    [7],
  ];
  for (const ids of cases) {
    const { found } = await readAll(ids, 300_000);
    assert.deepEqual(found, ids.toReversed());
  }
});

test('few requests find an event that is long ago', async () => {
  const { found, asked } = await readAll([3], 1_000_000);
  assert.deepEqual(found, [3]);
  assert.ok(asked.length < 10, `${asked.length} requests`);
});

test('events after the page are not in it', async () => {
  const { read } = apiWith(range(1, 300));
  const { events, older } = await readLatest(read, { first: 1, until: 250 });
  assert.deepEqual([events[0]?.id, events.at(-1)?.id], [250, 151]);
  assert.deepEqual(older, { first: 1, until: 150 });
});

const pagesOf = (ids: readonly number[], older: Older | null = null) => ({
  pages: [{ events: ids.map((id) => ({ id })), older }],
  pageParams: ['latest'],
});

test('a new event is the first one, and one that was already read is not shown twice', () => {
  const before = pagesOf([5, 3]);
  assert.deepEqual(pagesWith(before, { id: 6 }), pagesOf([6, 5, 3]));
  assert.deepEqual(pagesWith(before, { id: 5 }), before);
  assert.deepEqual(pagesWith(pagesOf([]), { id: 6 }), pagesOf([6]));
});

test('of very many events, the older ones are read again when somebody wants to see them', () => {
  const many = range(2501, 3000).toReversed();
  const after = pagesWith(pagesOf(many, { first: 4, until: 2500 }), { id: 3001 });
  assert.equal(after.pages[0]?.events.length, 250);
  assert.deepEqual(after.pages[0]?.older, { first: 4, until: 2751 });
  assert.deepEqual(pagesWith(pagesOf(many), { id: 3001 }).pages[0]?.older?.first, 2501);
});
