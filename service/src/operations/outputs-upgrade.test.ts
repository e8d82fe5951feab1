import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { migrate } from '../db/migrate.ts';
import { keepRecords } from '../retention/retention.ts';
import { createEmptyDatabase } from '../testing/postgres.ts';
import { storedOutputs } from './output-queries.ts';

// Tests outputs that were stored before projects had a quota for them.

const { db, close } = await createEmptyDatabase();
after(close);
const now = new Date('2026-06-01T00:00:00Z');
const printed = 3 * 64 * 1024;
/** More than the default quota. */
const many = 100;

/** Inserts and ends an operation as the previous release does. */
async function enterBefore(commands: object[] | null): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into operations (server_id, project_id, kind, step, status, message, deadline_at, commands)
    select id, project_id, 'create', 'finish', 'running', '', now(), ${commands && JSON.stringify(commands)}
    from servers returning id`.execute(db);
  const id = rows[0]?.id ?? 0;
  await sql`
    update operations set status = 'succeeded', finished_at = ${now}::timestamptz + ${id} * interval '1 s'
    where id = ${id}`.execute(db);
  return id;
}

const full = () => [{ exit_status: 0, output: randomBytes(printed).toString('base64') }];
const gone = [{ exit_status: 0, output: '', output_expired: true }];

async function kept(): Promise<Record<number, number | null>> {
  const { rows } = await sql<{ id: number; output_bytes: number | null }>`
    select id, output_bytes from operations order by id`.execute(db);
  return Object.fromEntries(rows.map((row) => [row.id, row.output_bytes]));
}

let ids: number[];
let none: (number | null)[];

before(async () => {
  await migrate(db, '0044-guests');
  await sql`
    with location as (
      insert into locations (name, description, engine, incus_project, storage_pool, network, max_cpu,
        max_ram_mb, max_disk_gb)
      values ('old', '', '{"socket_path": "/nowhere"}', 'berth', 'berth', 'berthbr0', 4, 4096, 100)
      returning id
    ), system as (
      insert into operating_systems (slug, name, version, type, architecture, source, min_ram_mb, min_disk_gb)
      values ('old', 'Old', '1', 'container', 'x86_64', '{}', 128, 1)
      returning id
    ), node as (
      insert into nodes (location_id, name, status, cpu, ram_mb)
      select id, 'node', 'online', 4, 4096 from location returning id, location_id
    )
    insert into servers (uuid, project_id, location_id, os_id, node_id, hostname, mac, cpu, ram_mb, disk_gb,
      status)
    select ${randomUUID()}::uuid, (select min(id) from projects), location_id,
      system.id, node.id, 'old', 'old', 2, 1024, 10, 'started' from node, system`.execute(db);
  ids = [];
  for (let at = 0; at < many; at += 1) ids.push(await enterBefore(full()));
  none = [await enterBefore([]), await enterBefore(gone), await enterBefore(null)];
  await migrate(db);
});

const projectId = async () =>
  (await db.selectFrom('projects').select('id').executeTakeFirstOrThrow()).id;

test('the first housekeeping after an upgrade records the outputs, and removes the oldest beyond the quota', async () => {
  assert.equal(await storedOutputs(db, await projectId()), 0, 'the migration reads none of them');
  const { signal } = new AbortController();
  const { outputs_dropped: dropped } = await keepRecords(db, { now, oldBy: null, signal });
  const sizes = await kept();
  const firstKept = ids.findIndex((id) => sizes[id] !== 0);
  assert.equal(dropped, firstKept);
  assert.ok(firstKept > 0 && ids.slice(firstKept).every((id) => (sizes[id] ?? 0) >= printed));
  const bytes = await storedOutputs(db, await projectId());
  assert.ok(bytes <= 16 * 1024 ** 2 && bytes > 15 * 1024 ** 2);
  assert.deepEqual(
    none.map((id) => sizes[id ?? 0]),
    [0, 0, null],
  );
});

test('outputs that the previous release stores meanwhile are recorded too', async () => {
  const before = await storedOutputs(db, await projectId());
  const id = await enterBefore(full());
  const size = (await kept())[id] ?? 0;
  assert.ok(size >= printed);
  assert.equal(await storedOutputs(db, await projectId()), before + size);
});
