import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setDatabaseClock } from '../testing/clock.ts';
import { createTestProject } from '../testing/people.ts';
import { enterServer } from '../testing/servers.ts';
import { createAppWithClock } from '../testing/statements.ts';

// Tests which servers are on a statement, and their exact values.

const { db, place, ask, close } = await createAppWithClock();
after(close);
const path = `/projects/${place.projectId}/statement`;
const now = new Date('2026-11-21T12:00:00Z');
await setDatabaseClock(db, now);

/** From, to, the state, and the numbers of cores, MiB and GiB. */
type Span = [
  from: string,
  to: string | null,
  isRunning: boolean,
  cpu: number,
  ram: number,
  disk: number,
];

interface Lived {
  spans?: Span[];
  /** Received and sent bytes, by month. */
  moved?: Record<string, [incoming: number, outgoing: number]>;
  deletedAt?: string;
  projectId?: number;
  labels?: Record<string, string>;
}

/** A server that was created on 20 October. */
async function enterLived(hostname: string, { spans = [], moved = {}, ...other }: Lived) {
  const id = await enterServer(db, place, { hostname });
  const { deletedAt: deleted_at = null, projectId: project_id = place.projectId } = other;
  const labels = JSON.stringify(other.labels ?? {});
  const values = { created_at: '2026-10-20T00:00:00Z', deleted_at, project_id, labels };
  const update = db.updateTable('servers').set(values).where('id', '=', id);
  const { uuid } = await update.returning('uuid').executeTakeFirstOrThrow();
  await db.deleteFrom('server_spans').where('server_id', '=', id).execute();
  for (const [from_at, to_at, is_running, cpu, ram_mb, disk_gb] of spans) {
    const span = { server_id: id, from_at, to_at, is_running, cpu, ram_mb, disk_gb };
    await db.insertInto('server_spans').values(span).execute();
  }
  for (const [month, [incoming, outgoing]] of Object.entries(moved)) {
    const traffic = { server_id: id, month: `${month}-01`, incoming, outgoing };
    await db.insertInto('traffic_months').values(traffic).execute();
  }
  return { id, uuid };
}

const turn = '2026-11-01T00:00:00Z';
const stopped = (from: string, to: string | null): Span => [from, to, false, 1, 1024, 1];
const always = stopped('2026-10-20T00:00:00Z', null);
const november = { '2026-11': [3, 4] as [number, number] };

const resized = await enterLived('resized', {
  spans: [
    ['2026-10-31T00:00:00Z', '2026-11-05T00:00:00Z', true, 3, 256, 2],
    ['2026-11-05T00:00:00Z', null, false, 5, 512, 4],
  ],
  moved: { '2026-10': [1, 2], '2026-11': [70, 90], '2026-12': [8, 8] },
  labels: { env: 'prod', team: 'web' },
});
const onlyMoved = await enterLived('only-moved', { moved: november });
const deletedAtTurn = await enterLived('deleted-at-turn', {
  spans: [stopped('2026-10-31T00:00:00Z', turn)],
  moved: november,
  deletedAt: turn,
});
await enterLived('ended-at-turn', {
  spans: [stopped('2026-10-20T00:00:00Z', '2026-10-20T01:00:00Z')],
});
await enterLived('begins-now', { spans: [stopped(now.toISOString(), null)] });
const projectId = await createTestProject(db, 'another');
await enterLived('of-another-project', { spans: [always], moved: november, projectId });

const shown = ({ id, uuid }: typeof resized, hostname: string) => ({
  server_id: id,
  uuid,
  hostname,
  location_id: place.locationId,
  created_at: '2026-10-20T00:00:00.000000Z',
  deleted_at: null as string | null,
});

/** Of servers without a size. */
const unpriced = { size: null, prices: [], charges: [] };

test('a statement has the parts of spans in its month, and the traffic of the month', async () => {
  const { servers } = (await ask('GET', `${path}?month=2026-11`)).json();
  assert.deepEqual(servers, [
    {
      ...shown(resized, 'resized'),
      hours: 492,
      hours_running: 96,
      core_hours: 288,
      ram_gb_hours: 24,
      disk_gb_hours: 1776,
      bytes_in: 70,
      bytes_out: 90,
      labels: { env: 'prod', team: 'web' },
      ...unpriced,
    },
    {
      ...shown(onlyMoved, 'only-moved'),
      ...{ hours: 0, hours_running: 0, core_hours: 0, ram_gb_hours: 0, disk_gb_hours: 0 },
      ...{ bytes_in: 3, bytes_out: 4, labels: {}, ...unpriced },
    },
  ]);
});

test('the lines of its CSV have all values, and empty fields for missing ones', async () => {
  const { body } = await ask('GET', `${path}.csv?month=2026-11`);
  const [, ...lines] = body.split('\r\n');
  const { locationId } = place;
  const created = '2026-10-20T00:00:00.000000Z';
  assert.deepEqual(lines, [
    `${resized.id},${resized.uuid},resized,${locationId},${created},,492,96,288,24,1776,70,90,env=prod team=web,,`,
    `${onlyMoved.id},${onlyMoved.uuid},only-moved,${locationId},${created},,0,0,0,0,0,3,4,,,`,
    '',
  ]);
});

test('the statement of the previous month has a server that was deleted at its end', async () => {
  const { servers } = (await ask('GET', `${path}?month=2026-10`)).json();
  const named = servers.map((one: { hostname: string }) => one.hostname);
  assert.deepEqual(named, ['resized', 'deleted-at-turn', 'ended-at-turn']);
  const day = { hours: 24, hours_running: 0, core_hours: 0, ram_gb_hours: 0, disk_gb_hours: 24 };
  assert.deepEqual(servers[1], {
    ...shown(deletedAtTurn, 'deleted-at-turn'),
    deleted_at: '2026-11-01T00:00:00.000000Z',
    ...day,
    ...{ bytes_in: 0, bytes_out: 0, labels: {}, ...unpriced },
  });
  assert.deepEqual([servers[0].hours, servers[0].bytes_in, servers[0].bytes_out], [24, 1, 2]);
});
