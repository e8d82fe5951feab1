import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { listing } from '../db/listing.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { pageRows } from './rows.ts';

// Tests pages whose end is found before all of their rows are read.

const { db, close } = await createTestDatabase();
after(close);

const enter = (...names: string[]) =>
  db
    .insertInto('projects')
    .values(names.map((name) => ({ name })))
    .execute();
const remove = (name: string) =>
  db.updateTable('projects').set({ deleted_at: new Date() }).where('name', '=', name).execute();

beforeEach(async () => {
  await db.updateTable('projects').set({ deleted_at: new Date() }).execute();
  await enter('a', 'b', 'c', 'd', 'e', 'f');
});

/** Of the projects by name, two at a time. */
function pageOf(limit: number) {
  const query = db.selectFrom('projects').select(['id', 'name']).where('deleted_at', 'is', null);
  const list = { ...listing(query, { sort: 'name', id: 'id' }), rowsAtFirst: 2 };
  type Shown = { id: number; name: string };
  const format = {
    // Only two rows of this length are read at once.
    write: ({ name }: Shown) => name.padEnd(30_000),
    positionOf: ({ id, name }: Shown) => ({ value: name, id }),
  };
  const { parts, ...page } = pageRows(list, format, undefined, limit);
  const next = async () => {
    const { value, done } = await parts.next();
    return done ? undefined : (value as string[]).map((text) => text.trim());
  };
  const rest = async () => {
    const found: string[] = [];
    for (let part = await next(); part; part = await next()) found.push(...part);
    return found;
  };
  return { ...page, next, rest };
}

test('a page whose end was found has the rows of that time, without those that were removed since', async () => {
  const page = pageOf(5);
  assert.deepEqual(await page.next(), ['a', 'b']);
  await page.findEnd();
  assert.equal(page.end()?.value, 'e');
  await enter('ca', 'cb', 'cc');
  await remove('d');
  assert.deepEqual(await page.rest(), ['c', 'e']);
});

test('a page all of whose remaining rows were removed ends', async () => {
  const page = pageOf(4);
  await page.next();
  await page.findEnd();
  for (const name of ['c', 'd']) await remove(name);
  assert.deepEqual(await page.rest(), []);
  assert.equal(page.end()?.value, 'd');
});

test('the end of a page is known only if more rows follow', async () => {
  for (const [limit, end] of [
    [2, 'b'],
    [3, 'c'],
    [5, 'e'],
    [6, undefined],
    [7, undefined],
  ] as const) {
    const [whole, found] = [pageOf(limit), pageOf(limit)];
    const all = await whole.rest();
    assert.deepEqual(all, ['a', 'b', 'c', 'd', 'e', 'f'].slice(0, limit));
    assert.equal(whole.end()?.value, end, `${limit} without findEnd`);
    const first = await found.next();
    await found.findEnd();
    assert.equal(found.end()?.value, end, `${limit} with findEnd`);
    assert.deepEqual([...(first ?? []), ...(await found.rest())], all);
  }
});
