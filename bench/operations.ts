import { sql } from 'kysely';
import type { Db } from '../service/src/db/connection.ts';
import { notify } from '../service/src/db/notifications.ts';
import { bareTransactions } from './bare-transactions.ts';
import { inParallel } from './in-parallel.ts';
import { post, sizeOf, wanted } from './scale.ts';
import type { Fleet } from './scale-fleet.ts';
import { type Installation, until, withFleet } from './scale-installation.ts';
import { compare, conclude } from './statistics.ts';

const defaultRounds = 3;
export const instantFleet: Fleet = {
  ...{ locations: 1, nodesPerLocation: 20, serversPerNode: 100, areStopped: true },
  timing: { create: 0, unpack: 0, start: 0, network: 0, boot: 0 },
};
/** How many requests, or bare transactions, are under way at once. */
const atOnce = 64;

/** A kind of operation, and the acceptable number of them per second. */
interface Work {
  title: string;
  perRound: number;
  least: number;
  /**
   * How many statements one takes, if it waits for nothing, without `begin` and `commit`. Those of a create are without
   * some 18 that record the events of its instance.
   */
  statements: number;
  request(installation: Installation, number: number): Promise<unknown>;
}

const works: readonly Work[] = [
  {
    title: 'Starts per second, on the simulator',
    perRound: 400,
    least: 400,
    statements: 5,
    // Servers of all nodes in turn.
    request: ({ service }, number) =>
      post(service, `/v1/servers/${((number * 7919) % sizeOf(instantFleet)) + 1}/start`, {}),
  },
  {
    title: 'Creates per second, on the simulator',
    perRound: 150,
    least: 100,
    statements: 25,
    request: ({ service }, number) => post(service, '/v1/servers', wanted(instantFleet, number)),
  },
];

/**
 * Measures how many operations a service carries out per second, on 20 simulated nodes whose actions
 * take no time. The baseline is a transaction of as many statements, on as many connections.
 */
export async function benchOperations(rounds = defaultRounds): Promise<boolean> {
  return await withFleet(instantFleet, async (installation) => {
    await using baseline = await bareTransactions(installation, atOnce);
    let isFast = true;
    for (const work of works) {
      const sides: { baseline: number[]; measured: number[] } = { baseline: [], measured: [] };
      const perRound = Math.min(work.perRound, Math.floor(sizeOf(instantFleet) / (rounds + 1)));
      for (let round = 0; round <= rounds; round += 1) {
        const of = await baseline.perSecond(perRound, work.statements);
        const at = await operationsPerSecond(installation, work, { perRound, round });
        // The first round is a warm-up for both.
        if (round === 0) continue;
        sides.baseline.push(of);
        sides.measured.push(at);
      }
      const result = compare(sides.baseline, sides.measured);
      const names = { baseline: `${work.statements} statements`, measured: 'Berth' };
      const isMet = conclude(work.title, names, result, { of: 'measured', least: work.least });
      isFast &&= isMet;
    }
    return isFast;
  });
}

/** Requests them all, which is not measured, and then lets them begin at once. */
async function operationsPerSecond(
  installation: Installation,
  { request }: Work,
  { perRound, round }: { perRound: number; round: number },
): Promise<number> {
  const { db } = installation;
  const after = await lastOperation(db);
  await held(db, () =>
    inParallel(perRound, atOnce, (number) => request(installation, round * perRound + number)),
  );
  const begun = await release(db);
  await until('all operations have ended', async () => (await unfinished(db)) === 0, 50);
  const { rows } = await sql<{ succeeded: number; seconds: number }>`
    select count(*) filter (where status = 'succeeded') as succeeded,
      extract(epoch from max(finished_at) - ${begun}::timestamptz)::float8 as seconds
    from operations where id > ${after}`.execute(db);
  const { succeeded = 0, seconds = Number.NaN } = rows[0] ?? {};
  if (succeeded !== perRound) throw new Error(`Of ${perRound} operations ${succeeded} succeeded.`);
  return perRound / seconds;
}

/**
 * Gives new operations a step that the service does not know, so that it leaves them alone. Nor are they due for most of a
 * minute: otherwise, each search for due operations would read all of them.
 */
export async function held(db: Db, enter: () => Promise<void>): Promise<void> {
  await sql`
    create or replace function hold() returns trigger language plpgsql as $$
    begin
      new.step := 'held ' || new.step;
      new.wake_at := now() + interval '50 seconds';
      return new;
    end $$`.execute(db);
  await sql`create trigger hold before insert on operations for each row execute function hold()`.execute(
    db,
  );
  await enter();
  await sql`drop trigger hold on operations`.execute(db);
}

/** Returns when they began. */
async function release(db: Db): Promise<string> {
  return await db.transaction().execute(async (trx) => {
    await sql`
      update operations set step = substr(step, 6), wake_at = now()
      where step like 'held %'`.execute(trx);
    await notify(trx, 'operation_due', { id: 0 });
    const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(trx);
    return rows[0]?.now ?? '';
  });
}

async function lastOperation(db: Db): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`select max(id) as id from operations`.execute(
    db,
  );
  return rows[0]?.id ?? 0;
}

async function unfinished(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from operations where finished_at is null`.execute(db);
  return rows[0]?.count ?? 0;
}
