import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase } from '../../testing/postgres.ts';
import { until } from '../../testing/until.ts';
import { createLeader } from './leader.ts';

const { pool, close } = await createTestDatabase();
after(close);
const log = pino({ level: 'silent' });

const process = (silenceMilliseconds = 30_000) => createLeader({ pool, log, silenceMilliseconds });

/** Leads a name until it is stopped, or until its connection is lost. Counts how often that began and ended. */
function candidate(t: TestContext, name: string, leader = process()) {
  const stopping = new AbortController();
  const seen = { began: 0, ended: 0 };
  const began = Promise.withResolvers<void>();
  const running = leader.whileLeading(name, stopping.signal, async (signal) => {
    seen.began += 1;
    began.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    seen.ended += 1;
  });
  const stop = async () => {
    stopping.abort();
    await running;
  };
  t.after(stop);
  return { seen, began: began.promise, stop };
}

test('there is one leader, and another process takes over when it stops', async (t) => {
  const first = candidate(t, 'one');
  await first.began;
  const second = candidate(t, 'one');
  const other = candidate(t, 'another');
  await other.began;
  assert.equal(second.seen.began, 0);
  await first.stop();
  await second.began;
  assert.deepEqual(first.seen, { began: 1, ended: 1 });
});

test('a process whose connection is lost no longer leads', async (t) => {
  const first = candidate(t, 'lost');
  await first.began;
  const second = candidate(t, 'lost');
  await pool.query(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and database =
       (select oid from pg_database where datname = current_database())`,
  );
  await until('one leads again', () => first.seen.began + second.seen.began === 2);
  // It may be notified later than the other process.
  await until('the first has ended', () => first.seen.ended === 1);
});

test('a process without a heartbeat no longer leads', async (t) => {
  // The timeout is shorter than the interval of heartbeats, so that the process seems to hang.
  const silent = candidate(t, 'silent', process(200));
  await silent.began;
  const second = candidate(t, 'silent');
  // The new leader may be the silent process again, several times.
  await until('one leads again', () => silent.seen.began + second.seen.began >= 2);
  await until('the silent one has ended', () => silent.seen.ended >= 1);
});

/** Counts the locks of these names that are held, and the connections that hold them. */
async function heldLocks(names: string[]) {
  const { rows } = await pool.query(
    `select count(*)::integer as held, count(distinct pid)::integer as connections
     from pg_locks where locktype = 'advisory' and (classid::bigint << 32) | objid::bigint in
       (select hashtextextended(name, 0) from unnest($1::text[]) name)`,
    [names],
  );
  return rows[0];
}

test('one connection holds all locks of a process, and is closed at the end', async (t) => {
  const leader = process();
  const names = Array.from({ length: 30 }, (_, at) => `many ${at}`);
  const leading = names.map((name) => candidate(t, name, leader));
  await Promise.all(leading.map(({ began }) => began));
  assert.deepEqual(await heldLocks(names), { held: 30, connections: 1 });
  const [first, ...others] = leading;
  await first?.stop();
  assert.deepEqual(await heldLocks(names), { held: 29, connections: 1 });
  await Promise.all(others.map(({ stop }) => stop()));
  assert.equal(pool.totalCount - pool.idleCount, 0);
});

/** Lets a process lead several names, and returns those that it leads now. The work of slow names ends with `ends`. */
function candidates(t: TestContext, names: string[], ends: Promise<void> = Promise.resolve()) {
  const leader = process();
  const leads = new Set<string>();
  const stopping = new AbortController();
  const running = names.map((name) =>
    leader.whileLeading(name, stopping.signal, async (signal) => {
      leads.add(name);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      if (name.endsWith('slow')) await ends;
      leads.delete(name);
    }),
  );
  const stop = async () => {
    stopping.abort();
    await Promise.all(running);
  };
  t.after(stop);
  return { leads, stop };
}

test('each process leads its share of the names, and the others take over the names of one that stops', async (t) => {
  const names = Array.from({ length: 7 }, (_, at) => `shared ${at}`);
  const processes = [candidates(t, names)];
  const sizes = () => processes.map(({ leads }) => leads.size).sort();
  const isAllLed = () => new Set(processes.flatMap(({ leads }) => [...leads])).size === 7;
  const untilSizes = (wanted: string) =>
    until(`${wanted} are led`, sizes, (seen) => isAllLed() && seen.join() === wanted);
  await untilSizes('7');
  const stayed = names.at(-1) ?? '';
  processes.push(candidates(t, names));
  await untilSizes('3,4');
  assert.ok(
    processes[0]?.leads.has(stayed),
    'the name that is led for the shortest time is not handed over',
  );
  processes.push(candidates(t, names));
  await untilSizes('1,3,3');
  await processes.pop()?.stop();
  await untilSizes('3,4');
  await processes.shift()?.stop();
  await untilSizes('7');
});

test('slow work in a stopping process does not delay the handover of other names', async (t) => {
  const names = ['quick 1', 'quick 2', 'quick 3', 'slow'];
  const end = Promise.withResolvers<void>();
  const first = candidates(t, names, end.promise);
  await until('the first leads all', () => first.leads.size === 4);
  const second = candidates(t, names);
  const isShared = () => second.leads.size === 2 && first.leads.has('slow');
  await until('the second leads half', isShared);
  const stopped = first.stop();
  await until('the second leads the rest', () => second.leads.size === 3);
  assert.deepEqual([...first.leads], ['slow']);
  end.resolve();
  await stopped;
  await until('the second leads all', () => second.leads.size === 4);
});

test('a process keeps its only name when another one joins', async (t) => {
  const first = candidates(t, ['alone']);
  await until('the first leads', () => first.leads.size === 1);
  const second = candidate(t, 'alone');
  const joined = () => heldLocks(['lock sessions']);
  await until('both take locks', joined, ({ connections }) => connections === 2);
  // The process could hand over the name at each heartbeat.
  for (const heartbeat of ['one', 'another']) {
    const before = await lastQuery('alone');
    const look = async () => {
      assert.equal(first.leads.size, 1);
      return await lastQuery('alone');
    };
    await until(`there is ${heartbeat} heartbeat`, look, (time) => time !== before);
  }
  assert.equal(first.leads.size, 1);
  assert.equal(second.seen.began, 0);
});

/** The time of the last query of the connection that holds this lock. */
async function lastQuery(name: string): Promise<string> {
  const { rows } = await pool.query(
    `select query_start from pg_stat_activity join pg_locks using (pid)
     where locktype = 'advisory'
       and (classid::bigint << 32) | objid::bigint = hashtextextended($1, 0)`,
    [name],
  );
  assert.equal(rows.length, 1);
  return rows[0].query_start;
}
