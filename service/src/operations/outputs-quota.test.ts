import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { databaseTime } from '../db/queries.ts';
import { projectRoutes } from '../projects/routes.ts';
import { keepRecords } from '../retention/retention.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import {
  db,
  ended,
  enter,
  enterServer,
  kindOf,
  loggedLines,
  place,
  run,
  stopRunners,
  untilEnded,
  watched,
} from '../testing/operations.ts';
import { rowsRead } from '../testing/rows-read.ts';
import { until } from '../testing/until.ts';
import {
  dropOutputs,
  projectsBeyondQuota,
  recordOutputSizes,
  storedOutputs,
} from './output-queries.ts';
import { supersededBy } from './queries.ts';
import { operationRoutes } from './routes.ts';

beforeEach(() => db.deleteFrom('operations').execute());
const app = await createTestApp(db, [operationRoutes, projectRoutes]);
after(() => app.close());
const { headers } = await createTestToken(db);
const get = (path: string) => inject(app, { url: `/v1${path}`, headers });
const quota = async () => (await get(`/projects/${place.projectId}/quota`)).json().outputs;

const setQuota = (mib: number | null) =>
  db
    .updateTable('projects')
    .set({ max_outputs_mib: mib })
    .where('id', '=', place.projectId)
    .execute();

/**
 * The largest output that the commands of a create can have: of random bytes, which hardly compress, or of repeated
 * bytes.
 */
const full = (byte?: string) =>
  Array.from({ length: 64 }, () => ({
    exit_status: 3,
    output: byte?.repeat(4096) ?? randomBytes(3072).toString('base64'),
    duration_ms: 20,
  }));

const printing = (byte?: string) =>
  kindOf(
    {
      runs: async () => ({ outcome: 'next', step: 'ends', commands: full(byte) }),
      ends: async () => ended(),
    },
    { kind: 'restart' },
  );

/** Inserts operations with full outputs, one after the other. */
async function print(count: number, byte?: string, own: Parameters<typeof run>[1] = {}) {
  const kind = printing(byte);
  run(kind, own);
  const ids: number[] = [];
  for (let at = 0; at < count; at += 1) ids.push((await untilEnded(await enter(kind))).id);
  return ids;
}

const first = async (id: number) => (await get(`/operations/${id}`)).json().commands[0];

test('a project has a default quota of outputs, which are compressed', async () => {
  assert.deepEqual(await quota(), { limit: 16, used: 0 });
  const ids = await print(8, 'x');
  assert.deepEqual(await quota(), { limit: 16, used: 1 }, '2 MiB that were printed');
  for (const id of ids) assert.equal((await first(id)).output_expired, false);
});

test('the oldest outputs of a project over its quota are removed, and their operations say so', async () => {
  await setQuota(1);
  const ids = await print(9);
  const [oldest = 0, newest = 0] = [ids[0], ids.at(-1)];
  await until('the outputs fit', quota, ({ used }) => used === 1);
  const { output, ...kept } = await first(newest);
  assert.equal(output.length, 4096);
  const result = { index: 0, exit_status: 3, duration_ms: 20 };
  assert.deepEqual(kept, { ...result, output_expired: false, output_note: null });
  const gone = await until(
    'the oldest output was removed',
    () => first(oldest),
    (it) => it.output === null,
  );
  const { output_note: note, ...rest } = gone;
  assert.deepEqual(rest, { ...result, output: null, output_expired: true });
  assert.match(note, /exceeded its quota "outputs"\. The oldest are removed first/);
  const answer = await get(`/operations/${oldest}/commands/0/output`);
  assert.deepEqual([answer.statusCode, answer.json().code], [404, 'output_not_found']);
  assert.equal(answer.json().detail, note);
  const expired = await Promise.all(ids.map(async (id) => (await first(id)).output_expired));
  const firstKept = expired.indexOf(false);
  assert.ok(
    firstKept > 0 && !expired.slice(firstKept).includes(true),
    'outputs are removed in the order in which operations ended',
  );
});

/** The hourly housekeeping. */
async function round() {
  const now = new Date(await databaseTime(db));
  return await keepRecords(db, { now, oldBy: null, signal: new AbortController().signal });
}

test('the removal of outputs at the end of an operation is logged, and so is its failure', async () => {
  await setQuota(16);
  const { log, lines } = loggedLines();
  const about = () => lines.filter(({ msg }) => /outputs/i.test(String(msg)));
  await print(1, 'x', { log });
  await stopRunners();
  assert.deepEqual(about(), [], 'nothing was removed');
  await db.deleteFrom('operations').execute();
  await setQuota(0);
  const logged = async (own: Parameters<typeof run>[1]) => {
    lines.length = 0;
    const [id = 0] = await print(1, 'x', { log, ...own });
    await until('it is logged', () => about().length > 0);
    await stopRunners();
    assert.equal(about().length, 1);
    return { line: about()[0] ?? {}, isGone: (await first(id)).output_expired };
  };
  const removed = await logged({});
  assert.equal(removed.isGone, true);
  const { msg, project, dropped } = removed.line;
  assert.deepEqual([project, dropped], [place.projectId, 1]);
  assert.equal(msg, 'The oldest outputs of a project were removed because of its quota.');
  const failing = watched({
    before(text) {
      if (text.includes('with counted as')) throw new Error('The connection was lost.');
    },
  });
  const failed = await logged({ db: failing });
  assert.equal(failed.isGone, false);
  assert.match(String(failed.line.msg), /could not be removed. Housekeeping will retry/);
  assert.match(JSON.stringify(failed.line.err), /The connection was lost/);
});

test('the outputs of a superseded operation count once the superseding one has ended', async () => {
  await setQuota(0);
  const superseded = await enter(printing());
  const change = (values: object) =>
    db.updateTable('operations').set(values).where('id', '=', superseded).execute();
  await change({ commands: JSON.stringify(full()) });
  await change(supersededBy('delete'));
  assert.equal((await quota()).used, 1);
  const kind = kindOf({ only: async () => ended() }, { kind: 'delete' });
  run(kind);
  await enter(kind);
  await until('nothing is kept', quota, ({ used }) => used === 0);
  assert.match((await first(superseded)).output_note, /exceeded its quota/);
});

test('a lowered quota applies at the next housekeeping, and null means unlimited', async () => {
  await setQuota(null);
  const [id = 0] = await print(1);
  assert.equal((await round()).outputs_dropped, 0);
  assert.equal(await dropOutputs(db, place.projectId), 0);
  assert.equal((await first(id)).output_expired, false);
  await setQuota(0);
  assert.equal((await round()).outputs_dropped, 1);
  assert.equal((await round()).outputs_dropped, 0);
  assert.deepEqual(await quota(), { limit: 0, used: 0 });
  assert.match((await first(id)).output_note, /quota/);
});

test('outputs of other projects are neither counted nor removed', async () => {
  await setQuota(0);
  const other = await db
    .insertInto('projects')
    .values({ name: 'other', max_outputs_mib: 1 })
    .returning('id')
    .executeTakeFirstOrThrow();
  const id = await enter(printing());
  const values = { commands: JSON.stringify(full()), finished_at: new Date() };
  await db
    .updateTable('operations')
    .set({ ...values, status: 'succeeded', project_id: other.id })
    .where('id', '=', id)
    .execute();
  assert.deepEqual(await quota(), { limit: 0, used: 0 });
  assert.equal((await round()).outputs_dropped, 0);
  assert.ok((await storedOutputs(db, other.id)) > 250_000);
});

test('outputs are found without reading all operations', async () => {
  await setQuota(16);
  const [server, size] = [await enterServer(), 60];
  await sql`
    insert into operations (server_id, project_id, kind, step, status, message, deadline_at, finished_at,
      output_bytes)
    select ${server}, ${place.projectId}, 'create', 'finish', 'succeeded', '', now(),
      now() - n * interval '1 second', case when n % 200 = 0 then ${size}::integer end
    from generate_series(1, 20000) n`.execute(db);
  await sql`analyze operations`.execute(db);
  const read = await rowsRead(db, 'operations', async (trx) => {
    assert.equal(await storedOutputs(trx, place.projectId), 100 * size);
    assert.equal(await dropOutputs(trx, place.projectId), 0);
    assert.equal(await recordOutputSizes(trx), 0);
    assert.deepEqual(await projectsBeyondQuota(trx), []);
  });
  // 100 rows have outputs, and each of the four queries may read them.
  assert.ok(read <= 1000, `${read} rows were read`);
});
