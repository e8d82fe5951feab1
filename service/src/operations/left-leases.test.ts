import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { leaseNextOperation } from '../testing/leases.ts';
import {
  db,
  ended,
  enter,
  enterFor,
  kindOf,
  place,
  rowOf,
  run,
  untilEnded,
} from '../testing/operations.ts';
import { until } from '../testing/until.ts';
import { wait } from './define.ts';
import { clampFutureTimes } from './lease-queries.ts';

// Tests leases whose holder no longer needs them.

const steps = new Map([['test', ['only']]]);

test('a lease that could not be released is no longer renewed', async (t) => {
  // A sequence keeps its value even if the statement that used it fails.
  await sql`create sequence refusals`.execute(db);
  await sql`create function refuse() returns trigger language plpgsql
    as $$ begin perform nextval('refusals'); raise exception 'It stays leased.'; end $$`.execute(
    db,
  );
  await sql`create trigger refuse before update on operations for each row
    when (old.kind = 'kept' and new.lease_until is null) execute function refuse()`.execute(db);
  t.after(() => sql`drop function refuse() cascade`.execute(db));
  const end = Promise.withResolvers<void>();
  const other = kindOf(
    {
      only: async () => {
        await end.promise;
        return ended();
      },
    },
    { kind: 'other' },
  );
  const kept = kindOf({ only: async () => wait(30) }, { kind: 'kept' });
  run(other);
  run(kept);
  const left = await enter(kept);
  await until('the release was refused', wasRefused);
  const beside = await enter(other);
  await untilRenewed(beside);
  const { lease_until: before } = await rowOf(left);
  // Leases are renewed at equal intervals, so that of the first operation would have been renewed by now.
  await untilRenewed(beside);
  await untilRenewed(beside);
  const { fence, lease_until } = await rowOf(left);
  end.resolve();
  await untilEnded(beside);
  // On a slow machine the lease may have expired, and have been taken again.
  assert.ok(fence > 1 || lease_until === before, `${before} became ${lease_until}`);
});

async function wasRefused(): Promise<boolean> {
  const { rows } = await sql<{ is_called: boolean }>`select is_called from refusals`.execute(db);
  return rows[0]?.is_called === true;
}

async function untilRenewed(id: number): Promise<void> {
  await until(
    'it is leased',
    () => rowOf(id),
    (row) => row.lease_until !== null,
  );
  const { lease_until: before } = await rowOf(id);
  await until(
    'the lease is renewed',
    () => rowOf(id),
    (row) => row.lease_until !== before,
  );
}

test('after the clock was set back, waiting operations are released and continue at once', async () => {
  const id = await enter(kindOf({ only: async () => ended() }));
  const row = db.updateTable('operations').where('id', '=', id);
  await row.set({ wake_at: sql`now() + interval '2 hours'` }).execute();
  assert.equal(await clampFutureTimes(db), 1);
  assert.equal((await rowOf(id)).lease_until, null);
  assert.equal((await leaseNextOperation(db, crypto.randomUUID(), steps))?.id, id);
});

test('after the clock was set back, a lease lasts no longer than a new one', async () => {
  const id = await enter(kindOf({ only: async () => ended() }));
  await leaseForHours(id);
  assert.equal(await clampFutureTimes(db), 1);
  assert.ok(await lastsAsNew(id));
});

for (const subject of ['server', 'node'] as const) {
  test(`after the clock was set back, the lease of an operation that was ended early is shortened if another one of its ${subject} waits`, async () => {
    const kind = kindOf({ only: async () => ended() });
    const id = await enter(kind);
    await leaseForHours(id, { status: 'superseded', finished_at: sql`now()` });
    const { server_id } = await rowOf(id);
    assert.ok(server_id !== null);
    // One that has ended and has no lease is of no concern.
    const past = await enterFor(server_id, kind);
    await leaseForHours(past, {
      ...{ status: 'superseded', finished_at: sql`now()`, lease_holder: null, lease_until: null },
      deadline_at: sql`now() + interval '9 years'`,
    });
    const next = subject === 'server' ? await enterFor(server_id, kind) : await enter(kind);
    if (subject === 'node')
      await db
        .updateTable('operations')
        .set({ node_id: place.nodeId, server_id: null, project_id: null })
        .where('id', 'in', [id, past, next])
        .execute();
    assert.equal(await clampFutureTimes(db), 1);
    assert.ok(await lastsAsNew(id));
  });
}

async function leaseForHours(id: number, more = {}): Promise<void> {
  await db
    .updateTable('operations')
    .where('id', '=', id)
    .set({
      lease_holder: crypto.randomUUID(),
      lease_until: sql`now() + interval '2 hours'`,
      ...more,
    })
    .execute();
}

async function lastsAsNew(id: number): Promise<boolean> {
  const { lasts } = await db
    .selectFrom('operations')
    .select(sql<boolean>`lease_until between now() and now() + interval '15 seconds'`.as('lasts'))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return lasts;
}
