import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase } from '../../testing/postgres.ts';
import { createLeader } from './leader.ts';

// Tests `ifFree` of a leader.

const { pool, close } = await createTestDatabase();
after(close);
const process = () => createLeader({ pool, log: pino({ level: 'silent' }) });
const work = async () => 'done';

test('one process at a time works under a name, and only once', async () => {
  const [one, other] = [process(), process()];
  const seen = await one.ifFree('a', async (prove) => {
    await prove();
    const taken = [await one.ifFree('a', work), await other.ifFree('a', work)];
    return [...taken, await one.ifFree('b', work), await other.ifFree('c', work)];
  });
  assert.deepEqual(seen, [undefined, undefined, 'done', 'done']);
  assert.equal(await other.ifFree('a', work), 'done');
});

test('a name is free after a failure, and no connection is kept', async () => {
  const one = process();
  const failing = one.ifFree('a', async () => {
    throw new Error('Of the work.');
  });
  await assert.rejects(failing, /Of the work/);
  assert.equal(await one.ifFree('a', work), 'done');
  assert.equal(await process().ifFree('a', work), 'done');
  assert.equal(pool.totalCount - pool.idleCount, 0);
});

test('however many names a process holds, they take one connection, which is in no transaction', async () => {
  const one = process();
  const names = Array.from({ length: 30 }, (_, at) => `many ${at}`);
  const all = Promise.withResolvers<void>();
  let held = 0;
  const holding = names.map((name) =>
    one.ifFree(name, async () => {
      held += 1;
      if (held === names.length) all.resolve();
      await all.promise;
      const { rows } = await pool.query(
        `select count(*)::integer as connections, bool_or(state like 'idle in transaction%') as busy
         from pg_stat_activity where pid <> pg_backend_pid() and pid in
           (select pid from pg_locks where locktype = 'advisory' and objsubid = 1 and database =
             (select oid from pg_database where datname = current_database()))`,
      );
      return rows[0];
    }),
  );
  for (const seen of await Promise.all(holding)) {
    assert.deepEqual(seen, { connections: 1, busy: false });
  }
});

test('a lock that was lost with its connection is not proven, and is free', async () => {
  const holding = process().ifFree('lost', async (prove) => {
    await pool.query(
      `select pg_terminate_backend(pid, 60000) from pg_locks
       where locktype = 'advisory' and database =
         (select oid from pg_database where datname = current_database())`,
    );
    const elsewhere = await process().ifFree('lost', work);
    await assert.rejects(prove());
    return elsewhere;
  });
  assert.equal(await holding, 'done');
});
