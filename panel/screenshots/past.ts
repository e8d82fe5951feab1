import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../service/src/db/connection.ts';
import { beginningOf, later, resolutions } from '../../service/src/usage/history/history.ts';
import { ensurePartitions } from '../../service/src/usage/history/history-queries.ts';

const hour = 3600;

/** Moves servers, and what has happened to them, as many hours into the past as is given for their names. */
export async function letTimePass(db: Db, ages: ReadonlyMap<string, number>): Promise<void> {
  await sql`update webhooks set url = 'https://' || name || '.example.com/berth',
    created_at = created_at - interval '25 days', last_success_at = last_success_at - interval '2 hours'`.execute(
    db,
  );
  await sql`update memberships set created_at = created_at - make_interval(days => 9 + user_id::int % 5 * 4)`.execute(
    db,
  );
  await sql`update nodes set status_since = status_since - interval '26 days',
    state_since = state_since - interval '26 days'`.execute(db);
  await sql`update locations set reachable_changed_at = reachable_changed_at - interval '26 days'`.execute(
    db,
  );
  for (const [name, hours] of ages) {
    const age = sql`make_interval(hours => ${hours}, mins => ${(hours * 7) % 60})`;
    const ofServer = sql`(select id from servers where hostname = ${name})`;
    await sql`update servers set created_at = created_at - ${age} where hostname = ${name}`.execute(
      db,
    );
    await sql`update operations set created_at = created_at - ${age}, started_at = started_at - ${age},
      finished_at = finished_at - ${age} where server_id = ${ofServer}`.execute(db);
    await sql`update webhook_deliveries set created_at = created_at - ${age}, attempted_at = attempted_at - ${age}
      where event_id in (select id from events where server_id = ${ofServer})`.execute(db);
    await sql`update events set at = at - ${age} where server_id = ${ofServer}`.execute(db);
  }
}

// The same in each run, so that the pictures differ only in what has changed.
const wave = (stepsAgo: RawBuilder<unknown>) =>
  sql`(0.55 + 0.45 * sin(${stepsAgo} / 288.0 * 6.283 + servers.id))`;
const memory = (stepsAgo: RawBuilder<unknown>) =>
  sql`servers.ram_mb * (0.5 + 0.12 * ${wave(stepsAgo)})`;

/** What the running servers use now, where the usage of `enterUsage` ends. */
export async function memoryInUse(db: Db) {
  const { rows } = await sql<{ project: string; uuid: string; bytes: number }>`
    select locations.incus_project as project, servers.uuid,
      round(${memory(sql`0`)} * 1048576)::float8 as bytes
    from servers join nodes on nodes.id = servers.node_id join locations on locations.id = nodes.location_id
    where servers.real_status = 'started'`.execute(db);
  return rows;
}

/** Enters a day of usage for each server, with more of it in the afternoon. */
export async function enterUsage(db: Db): Promise<void> {
  const now = new Date();
  const [, fives] = resolutions;
  for (const hours of [-24, -12, -2, -1, 0]) await ensurePartitions(db, later(now, hours * hour));
  const until = beginningOf(later(now, -60), fives.stepSeconds);
  const step = sql`make_interval(secs => ${fives.stepSeconds})`;
  const n = sql`n`;
  // Of the present step, in which they have just been created.
  await sql`update usage_5m set ram = ${memory(sql`0`)} from servers where servers.id = server_id`.execute(
    db,
  );
  const noise = sql`(0.8 + 0.4 * abs(sin(n * 12.9898 + servers.id * 78.233)))`;
  await sql`
    insert into usage_5m
      (server_id, at, traffic_in, traffic_out, disk_read, disk_write, cpu, ram, disk, samples)
    select servers.id, ${until}::timestamptz - n * ${step}, 9e7 * ${wave(n)} * ${noise}, 2.4e8 * ${wave(n)} * ${noise},
      4e6 * ${noise}, 1.6e7 * ${wave(n)} * ${noise}, 50 * ${wave(n)} * ${noise},
      ${memory(n)}, servers.disk_gb * (0.36 - n / 9000.0), 20
    from servers, generate_series(1, 288) n
    on conflict do nothing`.execute(db);
}
