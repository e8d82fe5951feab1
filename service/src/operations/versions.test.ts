import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { db, ended, enter, kindOf, rowOf, run, untilEnded } from '../testing/operations.ts';
import { next } from './define.ts';

// Tests two versions of Berth, each with its workers, on one database.

const secondsAgo = (seconds: number) => sql<string>`now() - make_interval(secs => ${seconds})`;

/** Waits until a worker has skipped the operation: it has run one that was enqueued later. */
async function untilPassedBy(): Promise<void> {
  const later = kindOf({ only: async () => ended() }, { kind: 'later' });
  run(later);
  await untilEnded(await enter(later));
}

async function setDeadline(id: number, seconds: number): Promise<void> {
  const deadline_at = secondsAgo(seconds);
  await db.updateTable('operations').set({ deadline_at }).where('id', '=', id).execute();
}

test('a step of a later version is left to a worker that knows it', async () => {
  const older = kindOf({ first: async () => next('second') });
  const newer = kindOf({ first: async () => next('second'), second: async () => ended() });
  const id = await enter(newer);
  await db.updateTable('operations').set({ step: 'second' }).where('id', '=', id).execute();
  run(older);
  await untilPassedBy();
  const { status, fence, step } = await rowOf(id);
  assert.deepEqual([status, fence, step], ['pending', 0, 'second']);
  run(newer);
  assert.equal((await untilEnded(id)).status, 'succeeded');
});

test('a kind that only a later version knows is left to a worker that knows it', async () => {
  const known = kindOf({ only: async () => ended() });
  const strange = kindOf({ only: async () => ended() }, { kind: 'strange' });
  const id = await enter(strange);
  run(known);
  await untilPassedBy();
  const { status, fence } = await rowOf(id);
  assert.deepEqual([status, fence], ['pending', 0]);
  run(strange);
  assert.equal((await untilEnded(id)).status, 'succeeded');
});

test('an operation that no worker knows fails a minute after its deadline', async () => {
  const known = kindOf({ only: async () => ended() });
  const strange = kindOf({ only: async () => ended() }, { kind: 'strange' });
  const kinds = [await enter(strange), await enter(known)];
  await db
    .updateTable('operations')
    .set({ step: 'unheard-of', wake_at: secondsAgo(90) })
    .where('id', 'in', kinds)
    .execute();
  for (const id of kinds) await setDeadline(id, 30);
  run(known);
  await untilPassedBy();
  for (const id of kinds) assert.equal((await rowOf(id)).fence, 0, 'others may still know it');
  for (const id of kinds) await setDeadline(id, 61);
  for (const id of kinds) {
    const row = await untilEnded(id);
    assert.deepEqual([row.status, row.error?.code], ['failed', 'deadline_exceeded']);
  }
  const [unknown = 0] = kinds;
  assert.match(
    (await rowOf(unknown)).message,
    /strange, which this version of Berth does not know/,
  );
});

test('a step that continues with an unknown one fails its operation at once', async () => {
  const kind = kindOf({ first: async () => next('unheard-of') });
  run(kind);
  const { status, error } = await untilEnded(await enter(kind));
  assert.deepEqual([status, error?.code], ['failed', 'unknown_step']);
  assert.match(error?.message ?? '', /knows no step unheard-of of the operation test\./);
});
