import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { migrate } from '../db/migrate.ts';
import { createEmptyDatabase } from '../testing/postgres.ts';
import { readMonth } from './month.ts';
import { statementRows } from './queries.ts';

// Tests statements of months before the release in which spans begin with the instance.

const { db, close } = await createEmptyDatabase();
after(close);

const month = readMonth('2026-02', new Date('2026-06-01T00:00:00Z'));
const at = new Date('2026-02-10T00:00:00Z');
const tenHoursLater = new Date('2026-02-10T10:00:00Z');
const ids: Record<string, number> = {};

interface Past {
  installed?: boolean;
  /** The last step of its create. */
  step: string;
  ran?: boolean;
  deleted?: boolean;
}

/** Inserts a server that was requested in February, like the previous release. */
async function enterPast(name: string, { installed = false, step, ran = false, deleted }: Past) {
  const { rows } = await sql<{ id: number }>`
    insert into servers (uuid, project_id, location_id, os_id, node_id, hostname, mac, cpu, ram_mb,
      disk_gb, status, created_at, installed_at, deleted_at)
    select ${randomUUID()}::uuid, (select min(id) from projects), location_id, (select min(id) from operating_systems),
      id, ${name}, ${name}, 2, 1024, 10, 'error', ${at}, ${installed ? at : null},
      ${deleted ? tenHoursLater : null}
    from nodes returning id`.execute(db);
  const id = rows[0]?.id ?? 0;
  ids[name] = id;
  await sql`
    insert into operations (server_id, project_id, kind, step, status, message, deadline_at, finished_at)
    select ${id}, min(id), 'create', ${step}, 'failed', 'It failed.', now(), now() from projects`.execute(
    db,
  );
  await sql`delete from server_spans where server_id = ${id}`.execute(db);
  await sql`
    insert into server_spans (server_id, from_at, to_at, is_running, cpu, ram_mb, disk_gb)
    values (${id}, ${at}, ${tenHoursLater}, ${ran}, 2, 1024, 10)`.execute(db);
}

before(async () => {
  await migrate(db, '0030-no-virtual-machines');
  await sql`
    with location as (
      insert into locations (name, description, engine, incus_project, storage_pool, network, max_cpu,
        max_ram_mb, max_disk_gb)
      values ('old', '', '{"socket_path": "/nowhere"}', 'berth', 'berth', 'berthbr0', 4, 4096, 100)
      returning id
    )
    insert into nodes (location_id, name, status, cpu, ram_mb)
    select id, 'node', 'online', 4, 4096 from location`.execute(db);
  await sql`
    insert into operating_systems (slug, name, version, type, architecture, source, min_ram_mb, min_disk_gb)
    values ('os', 'Debian', '12', 'container', 'x86_64', '{"build": "debian-12"}', 1, 1)`.execute(
    db,
  );
  await enterPast('never', { step: 'instance' });
  await enterPast('never-deleted', { step: 'image', deleted: true });
  await enterPast('half', { step: 'boot' });
  await enterPast('ran', { step: 'instance', ran: true });
  await enterPast('whole', { step: 'finish', installed: true });
  await migrate(db);
});

test('servers that never existed are removed from the statements of earlier months, and no others', async () => {
  const project = (await db.selectFrom('projects').select('id').executeTakeFirstOrThrow()).id;
  const rows = await statementRows(db, project, { ...month, afterId: 0, limit: 100 });
  const shown = rows.map(({ hostname, disk_gb_seconds }) => [hostname, disk_gb_seconds / 3600]);
  assert.deepEqual(shown, [
    ['half', 100],
    ['ran', 100],
    ['whole', 100],
  ]);
});

test('the audit log has these servers with their excess hours', async () => {
  const query = db.selectFrom('audit_log').select(['target_id', 'details', 'source']);
  const entries = await query
    .where('action', '=', 'statement_correct')
    .orderBy('target_id')
    .execute();
  assert.deepEqual(
    entries.map(({ target_id, source }) => [target_id, source]),
    [ids.never, ids['never-deleted']].map((id) => [id, 'berth']),
  );
  for (const { details } of entries) {
    const { hours, disk_gb_hours } = details as Record<string, unknown>;
    assert.deepEqual(hours, { before: 10, after: 0 });
    assert.deepEqual(disk_gb_hours, { before: 100, after: 0 });
  }
});
