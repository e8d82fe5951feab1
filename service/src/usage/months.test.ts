import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Server } from '@berth/contract/servers';
import type { ServerTraffic } from '@berth/contract/traffic';
import type { App } from '../callers/app-types.ts';
import { serverRoutes } from '../servers/routes.ts';
import { usageRoutes } from '../servers/usage-routes.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { collectAfter, db, insertServer, setClocks } from '../testing/usage.ts';

// Tests the months in the API while the clocks of the service and of PostgreSQL advance.

let app: App;
let headers: Record<string, string>;

before(async () => {
  app = await createTestApp(db, [serverRoutes, usageRoutes]);
  headers = (await createTestToken(db, { scopes: ['servers:read'] })).headers;
});
after(() => app.close());

async function ask<T>(path: string): Promise<T> {
  const answer = await inject(app, { url: `/v1/servers${path}`, headers });
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json();
}

/** Inserts a server whose guest has been running since October. */
async function runningServer() {
  const uuid = await insertServer();
  const query = db.selectFrom('servers').select('id').where('uuid', '=', uuid);
  const { id } = await query.executeTakeFirstOrThrow();
  const startedAt = new Date('2026-10-20T00:00:00Z');
  return {
    /** Reads its counters, with these values. */
    async readAt(time: string, incoming: number, outgoing: number): Promise<void> {
      await setClocks(new Date(time));
      await collectAfter(0, { [uuid]: { in: incoming, out: outgoing, startedAt } });
    },
    /** Bytes by month as the API shows them at that time, in all places: `[value, prev]`. */
    async shownAt(time: string) {
      await setClocks(new Date(time));
      const [listed] = await ask<Server[]>('');
      const { usage } = await ask<Server>(`/${id}`);
      assert.deepEqual(listed?.usage, usage);
      const traffic = await ask<ServerTraffic>(`/${id}/traffic`);
      const of = ({ incoming, outgoing }: Pick<ServerTraffic, 'incoming' | 'outgoing'>) => ({
        in: [incoming.value, incoming.prev],
        out: [outgoing.value, outgoing.prev],
      });
      assert.deepEqual(of(traffic), of(usage.traffic));
      assert.equal(traffic.used, traffic.outgoing.value);
      return { month: traffic.month, ...of(traffic) };
    },
  };
}

test('at the turn of a month, this month becomes the previous one, and starts again with 0', async () => {
  const { readAt, shownAt } = await runningServer();
  await readAt('2026-10-31T23:59:59.999Z', 100, 10);
  await readAt('2026-11-30T23:59:50Z', 1100, 210);
  // The reading in October was a thousandth of a second before November.
  const november = { month: '2026-11', in: [1000, 100], out: [200, 10] };
  assert.deepEqual(await shownAt('2026-11-30T23:59:59.999Z'), november);
  const atTheTurn = { month: '2026-12', in: [0, 1000], out: [0, 200] };
  assert.deepEqual(await shownAt('2026-12-01T00:00:00Z'), atTheTurn);
});

test('traffic between two readings on both sides of the turn is split by time', async () => {
  const { readAt, shownAt } = await runningServer();
  await readAt('2026-11-30T23:59:50Z', 0, 0);
  await readAt('2026-12-01T00:00:05Z', 1500, 301);
  const shared = { month: '2026-12', in: [500, 1000], out: [101, 200] };
  assert.deepEqual(await shownAt('2026-12-01T00:00:05Z'), shared);
  await readAt('2026-12-01T00:00:20Z', 1507, 302);
  const next = { month: '2026-12', in: [507, 1000], out: [102, 200] };
  assert.deepEqual(await shownAt('2026-12-31T23:59:59.999Z'), next);
});

test('in January, the previous month is December of the previous year', async () => {
  const { readAt, shownAt } = await runningServer();
  await readAt('2026-12-01T00:00:00Z', 0, 0);
  await readAt('2026-12-31T23:59:45Z', 60, 6);
  const december = { month: '2026-12', in: [60, 0], out: [6, 0] };
  assert.deepEqual(await shownAt('2026-12-31T23:59:59Z'), december);
  const turned = { month: '2027-01', in: [0, 60], out: [0, 6] };
  assert.deepEqual(await shownAt('2027-01-01T00:00:00Z'), turned);
  await readAt('2027-01-01T00:00:15Z', 90, 9);
  const january = { month: '2027-01', in: [15, 75], out: [2, 7] };
  assert.deepEqual(await shownAt('2027-01-31T12:00:00Z'), january);
});

test('two months later both are 0, and later traffic belongs to the last month and this one', async () => {
  const { readAt, shownAt } = await runningServer();
  await readAt('2026-11-30T12:00:00Z', 500, 50);
  const after = { month: '2027-01', in: [0, 0], out: [0, 0] };
  assert.deepEqual(await shownAt('2027-01-31T12:00:00Z'), after);
  // The time of the traffic is unknown: it is divided among 31 days of December and 31 of January.
  await readAt('2027-02-01T00:00:00Z', 1120, 112);
  assert.deepEqual(await shownAt('2027-01-31T23:59:59Z'), {
    month: '2027-01',
    in: [620, 0],
    out: [62, 0],
  });
  await readAt('2027-02-01T00:00:15Z', 1120, 112);
  const february = { month: '2027-02', in: [0, 620], out: [0, 62] };
  assert.deepEqual(await shownAt('2027-02-28T23:59:59.999Z'), february);
  const march = { month: '2027-03', in: [0, 0], out: [0, 0] };
  assert.deepEqual(await shownAt('2027-03-01T00:00:00Z'), march);
});
