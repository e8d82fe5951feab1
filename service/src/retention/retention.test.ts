import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it, test } from 'node:test';
import { sql } from 'kysely';
import { insertOwnEntries } from '../audit/entry-queries.ts';
import { Project } from '../db/project.ts';
import { databaseTime } from '../db/queries.ts';
import { insertOperation } from '../operations/queries.ts';
import { operationRoutes } from '../operations/routes.ts';
import { insertServer } from '../servers/queries.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { setDatabaseClock } from '../testing/clock.ts';
import { installation } from '../testing/fixtures.ts';
import { inject } from '../testing/inject.ts';
import { createDatabaseWithClock } from '../testing/postgres.ts';
import { auditPartitions } from './audit-queries.ts';
import { keepRecords, trustedClock } from './retention.ts';

const { db, close } = await createDatabaseWithClock();
after(close);
const place = await installation(db);
const { signal } = new AbortController();

/** Runs a round of the job at a given time. */
async function round(time: string) {
  await setDatabaseClock(db, new Date(time));
  const now = new Date(await databaseTime(db));
  return await keepRecords(db, { now, oldBy: now, signal });
}

const partitions = async () =>
  (await auditPartitions(db)).map(({ month }) => month.toISOString().slice(0, 7));

const enter = (at: string) =>
  sql`
  insert into audit_log (at, action, status, source, by_administrator)
  values (${at}, ${at}, 200, 'api', false)`.execute(db);

async function entries(from: 'audit_log' | 'audit_entries_default' = 'audit_log') {
  const { rows } = await sql<{ action: string }>`
    select action from ${sql.ref(from)} order by id`.execute(db);
  return rows.map(({ action }) => action);
}

describe('the audit log', () => {
  it('has partitions in advance, and accepts entries without one', async () => {
    await enter('2026-01-31T23:59:59Z');
    assert.deepEqual(await partitions(), []);
    await round('2026-02-10T00:00:00Z');
    assert.deepEqual(await partitions(), ['2026-01', '2026-02', '2026-03', '2026-04']);
    // No service has created further partitions.
    for (const at of ['2026-03-01T00:00:00Z', '2026-07-31T23:59:59Z', '2026-08-01T00:00:00Z']) {
      await enter(at);
    }
    const strayed = ['2026-07-31T23:59:59Z', '2026-08-01T00:00:00Z'];
    assert.deepEqual(await entries('audit_entries_default'), strayed);
    await round('2026-08-02T00:00:00Z');
    assert.deepEqual(await entries('audit_entries_default'), []);
    assert.equal((await entries()).length, 4);
    const made = ['2026-01', '2026-02', '2026-03', '2026-04'];
    assert.deepEqual(await partitions(), [...made, '2026-07', '2026-08', '2026-09', '2026-10']);
    await db.transaction().execute((trx) => insertOwnEntries(trx, 'traffic_notice', []));
  });

  it('loses whole months, and only those that ended 13 months ago', async () => {
    assert.equal((await round('2027-02-28T23:59:59Z')).audit_months, 0);
    assert.equal((await entries()).length, 4);
    assert.equal((await round('2027-03-01T00:00:00Z')).audit_months, 1);
    assert.equal((await partitions())[0], '2026-02');
    assert.deepEqual((await entries())[0], '2026-03-01T00:00:00Z');
    await db.updateTable('settings').set({ audit_months: 6 }).execute();
    await round('2027-03-01T00:00:00Z');
    assert.deepEqual(await entries(), []);
    assert.deepEqual(await partitions(), [
      '2026-09',
      '2026-10',
      '2027-02',
      '2027-03',
      '2027-04',
      '2027-05',
    ]);
  });

  it('is append-only, also through its partitions', async () => {
    await enter('2027-03-04T00:00:00Z');
    for (const table of ['audit_log', 'audit_entries', 'audit_entries_2027_03']) {
      const [all] = [sql.ref(table)];
      await assert.rejects(sql`update ${all} set action = 'x'`.execute(db), /append|only/, table);
      await assert.rejects(sql`delete from ${all}`.execute(db), /append|only/, table);
    }
  });

  it('is kept while a reader locks it, and the round reports that', async () => {
    await enter('2027-03-05T00:00:00Z');
    await db.transaction().execute(async (trx) => {
      await sql`select count(*) from audit_log`.execute(trx);
      await assert.rejects(round('2028-03-01T00:00:00Z'), AggregateError);
    });
    assert.ok((await partitions()).includes('2027-03'));
    await round('2028-03-01T00:00:00Z');
    assert.ok(!(await partitions()).includes('2027-03'));
  });
});

describe('operations', () => {
  const project = new Project(db, place.projectId);
  let serverId: number;
  const output = 'x'.repeat(1000);

  before(async () => {
    serverId = await insertServer(project, {
      ...{ uuid: crypto.randomUUID(), locationId: place.locationId, osId: place.osId },
      ...{ nodeId: place.nodeId, group: null, hostname: 'kept', mac: '02:00:00:00:00:01' },
      ...{ cpu: 1, ramMb: 512, diskGb: 5, trafficAllowance: null },
    });
  });

  beforeEach(() => db.deleteFrom('operations').execute());

  /** Inserts an operation that ended at this time; null if it is in progress. */
  async function operation(endedAt: string | null, more: object = {}): Promise<number> {
    const beginning = { kind: 'create', step: 'finish', message: '', deadlineSeconds: 60 };
    const { id } = await insertOperation(project, { ...beginning, serverId });
    const commands = JSON.stringify([{ exit_status: 0, output, duration_ms: 20 }]);
    const ended = endedAt === null ? {} : { status: 'succeeded' as const, finished_at: endedAt };
    const changes = { commands, ...ended, ...more };
    await db.updateTable('operations').set(changes).where('id', '=', id).execute();
    return id;
  }

  const ids = async () =>
    (await db.selectFrom('operations').select('id').orderBy('id').execute()).map(({ id }) => id);

  it('lose their output after 30 days, and the API says so', async (t) => {
    const old = await operation('2030-01-01T00:00:00Z');
    const empty = await operation('2030-01-01T00:00:00Z', { commands: '[]' });
    const none = await operation('2030-01-01T00:00:00Z', { commands: null });
    const young = await operation('2030-01-02T00:00:01Z');
    const { outputs } = await round('2030-01-31T00:00:01Z');
    assert.equal(outputs, 1);
    const app = await createTestApp(db, [operationRoutes]);
    t.after(() => app.close());
    const { headers } = await createTestToken(db);
    const commands = async (id: number) =>
      (await inject(app, { url: `/v1/operations/${id}`, headers })).json().commands;
    const result = { index: 0, exit_status: 0, duration_ms: 20 };
    assert.deepEqual(await commands(old), [
      {
        ...{ ...result, output: null, output_expired: true },
        output_note: 'The output was removed at the end of its retention period.',
      },
    ]);
    assert.deepEqual(await commands(young), [
      { ...result, output, output_expired: false, output_note: null },
    ]);
    assert.deepEqual([await commands(empty), await commands(none)], [[], null]);
    assert.equal((await round('2030-02-01T00:00:02Z')).outputs, 1);
    assert.equal((await commands(young))[0].output, null);
    // An operation in progress loses nothing, and does not delay later ones.
    const long = await operation('2030-03-01T00:00:00Z');
    const later = await operation('2030-03-01T00:00:00Z');
    const underWay = { status: 'running' as const, finished_at: null };
    await db.updateTable('operations').set(underWay).where('id', '=', long).execute();
    assert.equal((await round('2030-06-01T00:00:00Z')).outputs, 1);
    assert.equal((await commands(long))[0].output, output);
    assert.equal((await commands(later))[0].output, null);
    assert.equal((await round('2030-06-01T01:00:00Z')).outputs, 0);
  });

  it('are deleted after 13 months, unless they are still needed', async () => {
    const then = '2031-01-31T00:00:00Z';
    const old = await operation(then);
    const parent = await operation(then);
    const part = await operation('2032-02-01T00:00:00Z', { parent_id: parent });
    const retried = await operation(null);
    const failed = { status: 'failed' as const, finished_at: then, secrets: Buffer.from('sealed') };
    await db.updateTable('operations').set(failed).where('id', '=', retried).execute();
    const held = await operation(then, { lease_holder: crypto.randomUUID() });
    const young = await operation('2031-02-01T00:00:00Z');
    const open = await operation(null);
    assert.equal((await round('2032-02-28T00:00:00Z')).operations, 0);
    assert.equal((await round('2032-03-01T00:00:00Z')).operations, 1);
    const left = [parent, part, retried, held, young, open];
    assert.deepEqual(await ids(), left, `${old} has gone`);
    assert.equal((await round('2033-06-01T00:00:00Z')).operations, 2);
    assert.deepEqual(await ids(), [parent, retried, held, open]);
    assert.equal((await round('2033-06-01T01:00:00Z')).operations, 1);
    assert.deepEqual(await ids(), [retried, held, open]);
  });

  it('are deleted in batches, however many there are', async () => {
    await sql`
      insert into operations (project_id, server_id, kind, step, message, deadline_at, status,
        finished_at, commands)
      select ${place.projectId}, ${serverId}, 'create', 'finish', '', now(), 'succeeded',
        timestamptz '2033-01-01' + n * interval '1 minute', '[{"exit_status": 0, "output": "x"}]'
      from generate_series(1, 1800) n`.execute(db);
    const { operations, outputs } = await round('2034-02-02T00:00:00Z');
    assert.deepEqual([operations, outputs], [1440 - 1, 1800]);
    assert.equal((await ids()).length, 1800 - operations);
  });
});

test('a clock that jumps ahead causes no removals', () => {
  let elapsed = 0;
  const trusted = trustedClock(() => elapsed);
  const hour = 3_600_000;
  const at = (time: string) => trusted(new Date(time))?.toISOString() ?? null;
  assert.equal(at('2026-11-22T10:00:00Z'), null);
  elapsed += hour;
  assert.equal(at('2026-11-22T11:00:00Z'), '2026-11-22T11:00:00.000Z');
  elapsed += hour;
  assert.equal(at('2031-11-22T12:00:00Z'), '2026-11-22T12:00:00.000Z');
  elapsed += hour;
  assert.equal(at('2026-11-22T13:00:00Z'), '2026-11-22T13:00:00.000Z');
});
