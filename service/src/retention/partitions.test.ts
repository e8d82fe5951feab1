import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';
import { untilWaiting } from '../testing/locks.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { auditPartitions, makeAuditPartitions } from './audit-queries.ts';
import { monthOf } from './months.ts';

const { db, close } = await createTestDatabase();
after(close);

const enter = (on: Queryable, at: Date) =>
  sql`
  insert into audit_log (at, action, status, source, by_administrator)
  values (${at.toISOString()}, 'x', 200, 'api', false)`.execute(on);

/** Creates the partition of a month while an entry is being written, and another entry waits. */
async function between(month: Date) {
  const { making, entering } = await db.transaction().execute(async (trx) => {
    await enter(trx, month);
    const making = makeAuditPartitions(db, month);
    making.catch(() => undefined);
    await Promise.race([untilWaiting(db, 1), making]);
    const entering = enter(db, month);
    entering.catch(() => undefined);
    await Promise.race([untilWaiting(db, 2), making]);
    return { making, entering };
  });
  return await Promise.allSettled([making, entering]);
}

test('an entry can be written while its partition is created', async () => {
  // The wait for locks ends after 2 s, so on a busy machine the next attempt uses another month.
  for (let ahead = 0; ahead < 60; ahead += 6) {
    const month = monthOf(new Date(), ahead);
    const [made, entered] = await between(month);
    assert.equal(entered.status, 'fulfilled', String('reason' in entered && entered.reason));
    if (made.status === 'rejected') continue;
    const partitions = (await auditPartitions(db)).map((one) => one.month.getTime());
    assert.ok(partitions.includes(month.getTime()));
    const { rows } = await sql`select from audit_entries_default`.execute(db);
    assert.equal(rows.length, 0);
    return;
  }
  assert.fail('No partition could be created.');
});
