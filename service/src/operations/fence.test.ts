import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Project } from '../db/project.ts';
import { db, ended, enter, kindOf, place, rowOf } from '../testing/operations.ts';
import {
  commitStep,
  finishOperation,
  type Lease,
  leasedOperation,
  leaseNextOperation,
  releaseLease,
  renewLease,
  reportProgress,
} from './lease-queries.ts';
import { type OperationRow, supersedeOperation } from './queries.ts';

// What a worker may still write once its lease is no longer its own: nothing.

const kind = kindOf({ only: async () => ended() });
const steps = new Map([['test', ['only']]]);
const ending = { status: 'succeeded', message: 'By who came too late.' } as const;

async function lease(id: number): Promise<OperationRow> {
  const leased = await leaseNextOperation(db, crypto.randomUUID(), steps);
  assert.equal(leased?.id, id);
  return leased;
}

/** Leased, lost, and leased by another one, who goes on with it. */
async function takenOver(): Promise<{ late: Lease; holder: Lease }> {
  const id = await enter(kind, { secrets: Buffer.from('secret') });
  const late = await lease(id);
  const operation = db.updateTable('operations').where('id', '=', id);
  await operation.set({ lease_until: new Date(0) }).execute();
  return { late, holder: await lease(id) };
}

/** Ended by a delete while its worker, whose fence still holds, is amid a step. */
async function superseded(): Promise<Lease> {
  const id = await enter(kind);
  const late = await lease(id);
  await db
    .transaction()
    .execute((trx) => supersedeOperation(new Project(trx, place.projectId), id, 'A test.'));
  return late;
}

const writes: Record<string, (late: Lease) => Promise<unknown>> = {
  commitStep: (late) =>
    commitStep(db, late, { step: 'late', patch: { late: true }, progress: 90, message: 'Late.' }),
  finishOperation: (late) => db.transaction().execute((trx) => finishOperation(trx, late, ending)),
  reportProgress: (late) => reportProgress(db, late, 90, 'Late.'),
  leasedOperation: (late) => leasedOperation(db, late),
};

for (const [name, write] of Object.entries(writes)) {
  test(`${name} by a worker whose lease another one has changes nothing, and answers nothing`, async () => {
    const { late, holder } = await takenOver();
    const before = await rowOf(late.id);
    assert.ok(!(await write(late)));
    assert.deepEqual(await rowOf(late.id), before);
    assert.ok(await db.transaction().execute((trx) => finishOperation(trx, holder, ending)));
  });

  test(`${name} by the worker of a superseded operation changes nothing, and answers nothing`, async () => {
    const late = await superseded();
    const before = await rowOf(late.id);
    assert.equal(before.fence, late.fence);
    assert.ok(!(await write(late)));
    assert.deepEqual(await rowOf(late.id), before);
    await releaseLease(db, late);
  });
}

test('who holds the lease commits, reports, reads and ends', async () => {
  const id = await enter(kind);
  const holder = await lease(id);
  const committed = await commitStep(db, holder, {
    step: 'second',
    patch: { found: 1 },
    progress: 40,
    message: 'Committed.',
  });
  assert.deepEqual(
    [committed?.step, committed?.state, committed?.progress],
    ['second', { found: 1 }, 40],
  );
  await reportProgress(db, holder, 50, 'Reported.');
  const read = await leasedOperation(db, holder);
  assert.deepEqual([read?.progress, read?.message], [50, 'Reported.']);
  assert.ok(await db.transaction().execute((trx) => finishOperation(trx, holder, ending)));
  assert.equal((await rowOf(id)).status, 'succeeded');
});

test('letting go with an old fence leaves the lease to who has it', async () => {
  const { late, holder } = await takenOver();
  const before = await rowOf(late.id);
  await releaseLease(db, late);
  assert.deepEqual(await rowOf(late.id), before);
  assert.equal(await renewLease(db, late), 'lost');
  assert.equal(await renewLease(db, holder), 'held');
  await releaseLease(db, holder);
  assert.equal((await rowOf(holder.id)).lease_until, null);
  assert.equal(await renewLease(db, holder), 'lost', 'what was let go of is not taken up again');
  const next = await lease(holder.id);
  assert.ok(await db.transaction().execute((trx) => finishOperation(trx, next, ending)));
});

test('of a superseded operation the lease is kept until its worker lets go', async () => {
  const late = await superseded();
  assert.equal(await renewLease(db, late), 'superseded');
  assert.notEqual((await rowOf(late.id)).lease_until, null);
  await releaseLease(db, late);
  assert.equal((await rowOf(late.id)).lease_until, null);
});
