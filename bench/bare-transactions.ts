import { sql } from 'kysely';
import { createPool } from '../service/src/db/connection.ts';
import { poolLimits } from '../service/src/db/open.ts';
import { inParallel } from './in-parallel.ts';
import { sizeOf } from './scale.ts';
import type { Installation } from './scale-installation.ts';

/** Transactions that change a row of their own with each of their statements. */
export async function bareTransactions(
  { db, fleet, superuserConnectionString }: Installation,
  atOnce: number,
) {
  const rows = sizeOf(fleet);
  await sql`create table bare (id integer primary key, changes integer not null)`.execute(db);
  await sql`insert into bare select id, 0 from generate_series(0, ${rows}) id`.execute(db);
  const pool = createPool(superuserConnectionString, poolLimits.workers);
  const change = 'update bare set changes = changes + 1 where id = $1';

  async function transaction(id: number, statements: number): Promise<void> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      for (let at = 0; at < statements; at += 1) {
        await client.query({ name: 'change', text: change, values: [id] });
      }
      await client.query('commit');
    } finally {
      client.release();
    }
  }

  return {
    /** Changes the row `id` with as many statements. */
    transaction,
    async perSecond(count: number, statements: number): Promise<number> {
      const begun = performance.now();
      await inParallel(count, atOnce, (id) => transaction(id, statements));
      return (count / (performance.now() - begun)) * 1000;
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}
