import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import {
  type EventType,
  eventSchemas,
  eventTypes,
  type serverChanges,
} from '@berth/contract/events';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { type RawBuilder, sql } from 'kysely';
import { installation } from '../testing/fixtures.ts';
import { amid } from '../testing/locks.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer, operationUnderWay } from '../testing/servers.ts';
import { assertEventsTell } from '../testing/told-events.ts';
import { moveEvents } from './feed-queries.ts';
import { eventView } from './view.ts';

// Every column of servers, operations and nodes is in one of these tables: a new one must be added, too.

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const server = await enterServer(db, place, { operation: 'stop' });
const operation = await operationUnderWay(db, server);
await moveEvents(db, 'inTurn');
const { rows: others } = await sql<{ node: number; size: number; os: number }>`
  with node as (
    insert into nodes (location_id, name, status, cpu, ram_mb)
    values (${place.locationId}, 'node-2', 'online', 4, 4096) returning id
  ), size as (
    insert into sizes (name, cpu, ram_mb, disk_gb) values ('small', 1, 256, 2) returning id
  )
  select node.id as node, size.id as size,
    (select id from operating_systems where slug <> 'debian-12' order by id limit 1) as os
  from node, size`.execute(db);
const other = others[0] ?? { node: 0, size: 0, os: 0 };

const ajv = new Ajv2020({ strict: false });
formats.default(ajv, ['date-time']);

/** The events of a change, which it takes back. */
async function eventsOf(change: RawBuilder<unknown>) {
  await moveEvents(db, 'inTurn');
  const trx = await db.startTransaction().execute();
  try {
    await change.execute(trx);
    const { rows } = await sql<Parameters<typeof eventView>[0]>`
      select 1 as id, type, project_id, server_id, labels, data, at from event_outbox order by event_outbox.id`.execute(
      trx,
    );
    return rows.map(eventView);
  } finally {
    await trx.rollback().execute();
  }
}

async function columnsOf(table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_schema = current_schema() and table_name = ${table}`.execute(db);
  return rows.map(({ name }) => name);
}

interface Told {
  /** The change, and the event that tells of it. */
  change: RawBuilder<unknown>;
  type: EventType;
  /** What `changed` of `server.updated` has. */
  changed?: (typeof serverChanges)[number];
}

const updated = (change: RawBuilder<unknown>, changed: (typeof serverChanges)[number]): Told => ({
  change,
  type: 'server.updated',
  changed,
});

const told: Record<'servers' | 'operations' | 'nodes', Record<string, Told>> = {
  servers: {
    status: { change: sql`'paused'`, type: 'server.paused' },
    deleted_at: { change: sql`now()`, type: 'server.deleted' },
    hostname: updated(sql`'other'`, 'hostname'),
    labels: updated(sql`'{"a": "b"}'`, 'labels'),
    notes: updated(sql`'New'`, 'notes'),
    cpu: updated(sql`2`, 'specifications'),
    ram_mb: updated(sql`512`, 'specifications'),
    disk_gb: updated(sql`3`, 'specifications'),
    size_id: updated(sql`${other.size}`, 'size'),
    node_id: updated(sql`${other.node}`, 'node'),
    os_id: updated(sql`${other.os}`, 'os'),
    group_name: updated(sql`'database'`, 'group'),
    protects_delete: updated(sql`true`, 'protection'),
    protects_rebuild: updated(sql`true`, 'protection'),
    suspended_at: updated(sql`now(), suspension_reason = 'Unpaid.'`, 'suspension'),
    suspension_reason: updated(sql`'Unpaid.', suspended_at = now()`, 'suspension'),
    traffic_allowance: updated(sql`1`, 'traffic_allowance'),
    commands_total: updated(sql`3`, 'initial_commands'),
    commands_failed: updated(sql`1, commands_total = 1`, 'initial_commands'),
    ssh_keys: updated(sql`'[{"name": "laptop", "fingerprint": "SHA256:x"}]'`, 'ssh_keys'),
    password_login: updated(sql`not password_login`, 'password_login'),
    error: updated(sql`'Broken.'`, 'error'),
  },
  operations: {
    progress: { change: sql`50`, type: 'operation.progress' },
    message: { change: sql`'Next'`, type: 'operation.progress' },
    status: { change: sql`'running', fence = 1`, type: 'operation.progress' },
    fence: { change: sql`1, status = 'running'`, type: 'operation.progress' },
    finished_at: { change: sql`now(), status = 'succeeded'`, type: 'operation.ended' },
  },
  nodes: {
    status: { change: sql`'offline'`, type: 'node.offline' },
    evacuated: { change: sql`true`, type: 'node.evacuated' },
    cordoned: { change: sql`true`, type: 'node.cordoned' },
    gone: { change: sql`true`, type: 'node.gone' },
    lost: { change: sql`true`, type: 'node.lost' },
  },
};

/** What no event tells: ids, what does not change, what the API does not show, and what changes all the time. */
const silent: Record<keyof typeof told, string[]> = {
  servers: [
    ...['id', 'uuid', 'project_id', 'location_id', 'mac', 'created_at', 'installed_at'],
    // An observation during an operation, of which the events of the operation tell.
    ...['real_status', 'real_status_at'],
    ...['moving_to', 'evacuated_from', 'ran_before_suspension', 'label_set_id'],
    ...['resizing_cpu', 'resizing_ram_mb', 'resizing_disk_gb', 'resizing_size_id'],
    ...['traffic_throttle', 'throttled_to', 'throttle_error'],
  ],
  operations: [
    ...['id', 'project_id', 'server_id', 'node_id', 'parent_id', 'kind', 'placement'],
    ...[
      'step',
      'step_since',
      'state',
      'commands',
      'output_bytes',
      'secrets',
      'attempts',
      'last_error',
    ],
    ...['wake_at', 'deadline_at', 'lease_holder', 'lease_until', 'created_at', 'started_at'],
    // It is written with the end.
    'error',
  ],
  nodes: [
    ...['id', 'location_id', 'name', 'member', 'status_since', 'state_since', 'slow_since'],
    ...[
      'cpu',
      'ram_mb',
      'disk_gb',
      'ram_used_mb',
      'disk_used_gb',
      'incus_version',
      'failure_domain',
    ],
    ...['addresses', 'addresses_read_at', 'servers', 'updated_at', 'compared_at', 'kernel_version'],
    ...['allocated_cpu', 'allocated_ram_mb', 'allocated_disk_gb'],
    ...['limits_incoming', 'limits_outgoing', 'limits_kernel', 'limits_tried_at'],
  ],
};

const ids = { servers: server, operations: operation.id, nodes: place.nodeId };

for (const table of ['servers', 'operations', 'nodes'] as const) {
  describe(`the events of ${table}`, () => {
    test('tell of each column, or it is known why not', async () => {
      const known = [...Object.keys(told[table]), ...silent[table]].sort();
      assert.deepEqual(known, (await columnsOf(table)).sort());
    });

    for (const [column, { change, type, changed }] of Object.entries(told[table])) {
      test(`tell when ${column} changes, in the same transaction and by their schema`, async () => {
        const [event, ...none] = await eventsOf(
          sql`update ${sql.table(table)} set ${sql.ref(column)} = ${change} where id = ${ids[table]}`,
        );
        assert.deepEqual([event?.type, none], [type, []]);
        assert.ok(event && ajv.validate(eventSchemas[type], event), ajv.errorsText());
        if (changed) assert.deepEqual(event.data.changed, [changed]);
      });
    }

    test('tell nothing if nothing changes', async () => {
      const columns = sql.join(
        Object.keys(told[table]).map((name) => sql`${sql.ref(name)} = ${sql.ref(name)}`),
      );
      assert.deepEqual(
        await eventsOf(sql`update ${sql.table(table)} set ${columns} where id = ${ids[table]}`),
        [],
      );
    });
  });
}

test('a status is told together with its error, and another change separately', async () => {
  const [failed, changed, ...none] = await eventsOf(
    sql`update servers set status = 'error', error = 'Broken.', notes = 'See the log.' where id = ${server}`,
  );
  assert.deepEqual([failed?.type, changed?.type, none], ['server.failed', 'server.updated', []]);
  assert.ok(failed);
  assert.equal((failed.data.server as { error: string }).error, 'Broken.');
  assert.deepEqual(changed?.data.changed, ['notes']);
});

test('later leases of a waiting operation are not told', async () => {
  const events = await eventsOf(sql`
    update operations set status = 'running', fence = 2 where id = ${operation.id} and fence > 0`);
  assert.deepEqual(events, []);
});

test('a location that does not answer takes its nodes offline, except those that are so already', async () => {
  const state = (change: RawBuilder<unknown>) => sql`
    with changed as (update nodes set ${change} where id = ${other.node})
    update locations set reachable = false where id = ${place.locationId}`;
  const types = async (change: RawBuilder<unknown>) =>
    (await eventsOf(state(change))).map(({ type }) => type);
  assert.deepEqual(await types(sql`name = name`), ['node.offline', 'node.offline']);
  await sql`update nodes set lost = true where id = ${other.node}`.execute(db);
  assert.deepEqual(await types(sql`name = name`), ['node.offline']);
  await sql`update nodes set lost = false, cordoned = true where id = ${other.node}`.execute(db);
  await sql`update locations set reachable = false where id = ${place.locationId}`.execute(db);
  // Nobody sees whether it is cordoned now.
  assert.deepEqual(
    await eventsOf(sql`update nodes set cordoned = false where id = ${other.node}`),
    [],
  );
  const back = await eventsOf(
    sql`update locations set reachable = true where id = ${place.locationId}`,
  );
  assert.deepEqual(
    back.map(({ type }) => type),
    ['node.online', 'node.cordoned'],
  );
});

test('a node and its location that change at the same time are told one after the other', async () => {
  const reach = (is: boolean) =>
    sql`update locations set reachable = ${is} where id = ${place.locationId}`;
  const cordon = (is: boolean) => sql`update nodes set cordoned = ${is} where id = ${place.nodeId}`;
  for (const [first, second] of [
    [reach(false), cordon(true)],
    [cordon(false), reach(true)],
  ] as const) {
    await amid(
      db,
      (trx) => first.execute(trx),
      () => second.execute(db),
    );
    await assertEventsTell(db);
  }
});

test('an allowance that is used to 80 or 100 percent is told', async () => {
  const [event] = await eventsOf(sql`
    insert into traffic_notices (server_id, month, percent, allowance, at)
    values (${server}, '2026-11-01', 80, 1000, now())`);
  assert.equal(event?.type, 'usage.allowance_reached');
  assert.deepEqual(event.data, { percent: 80, allowance: 1000, month: '2026-11' });
  assert.ok(ajv.validate(eventSchemas[event.type], event), ajv.errorsText());
});

test('a webhook that is paused is told, once', async () => {
  const { rows } = await sql<{ id: number }>`
    insert into webhooks (project_id, name, url) values (${place.projectId}, 'bot', '') returning id`.execute(
    db,
  );
  const id = rows[0]?.id ?? 0;
  const [event, ...none] = await eventsOf(sql`
    update webhooks set paused_at = now(), paused_because = 'gone' where id = ${id}`);
  assert.deepEqual([event?.type, event?.project_id, none], ['webhook.paused', place.projectId, []]);
  assert.ok(event && ajv.validate(eventSchemas[event.type], event), ajv.errorsText());
  await sql`update webhooks set paused_at = now(), paused_because = 'gone' where id = ${id}`.execute(
    db,
  );
  const later = sql`update webhooks set paused_at = now() + interval '1 second' where id = ${id}`;
  assert.deepEqual(await eventsOf(later), []);
});

test('each type has an example that matches its schema', async () => {
  for (const type of eventTypes) {
    const [example] = (eventSchemas[type] as { examples?: unknown[] }).examples ?? [];
    assert.ok(ajv.validate(eventSchemas[type], example), `${type}: ${ajv.errorsText()}`);
  }
});
