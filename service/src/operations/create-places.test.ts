import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { db, ended, enter, kindOf, place, run, untilEnded } from '../testing/operations.ts';
import { takeCreatePlace } from './worker-queries.ts';

test('a node has a few places for creates, which are free again before their end', async () => {
  const create = kindOf({ only: async () => ended() }, { kind: 'create' });
  const ids = [await enter(create), await enter(create), await enter(create)] as const;
  const take = (id: number) =>
    db.transaction().execute((trx) => takeCreatePlace(trx, { id, nodeId: place.nodeId }, 2));
  assert.deepEqual([await take(ids[0]), await take(ids[1])], [true, true]);
  assert.equal(await take(ids[0]), true, 'who has one keeps it');
  assert.equal(await take(ids[2]), false);
  await db
    .updateTable('operations')
    .set({ state: sql`'{"has_place": false}'` })
    .where('id', '=', ids[0])
    .execute();
  assert.equal(await take(ids[2]), true);
  assert.equal(await take(ids[0]), false);
  run(create);
  for (const id of ids) await untilEnded(id);
  const later = await enter(create);
  assert.equal(await take(later), true);
  await untilEnded(later);
});
