import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Berth, type components, createBerth, waitForOperation } from '@berth/client';
import { sql } from 'kysely';
import type { Installation } from '../../cli/testing/installation.ts';
import type { Db } from '../../service/src/db/connection.ts';
import { instanceName } from '../../service/src/instances/labels.ts';
import { createTestUser } from '../../service/src/testing/people.ts';
import { until } from '../../service/src/testing/until.ts';
import { enterUsage, letTimePass, memoryInUse } from './past.ts';

const project = 1;
const password = 'copper-lantern-Tuesday-otter';

const sizes = [
  { name: 'small', cpu: 1, ram: 1024, disk: 10, hourly: '0.0074', monthly: '4.59' },
  { name: 'medium', cpu: 2, ram: 4096, disk: 40, hourly: '0.0189', monthly: '11.79' },
  { name: 'large', cpu: 4, ram: 8192, disk: 80, hourly: '0.0362', monthly: '22.59' },
];

interface Planned {
  name: string;
  size: string;
  labels: Record<string, string>;
  /** What is done to it after its creation. */
  action?: 'stop' | 'pause' | 'restart';
  ageHours: number;
}

const web = { env: 'prod', team: 'web' };
const storage = { env: 'prod', team: 'data' };
const servers: Planned[] = [
  { name: 'bastion', size: 'small', labels: { team: 'platform' }, ageHours: 620 },
  { name: 'db-primary', size: 'large', labels: storage, ageHours: 560 },
  { name: 'db-replica', size: 'large', labels: storage, ageHours: 559 },
  { name: 'web-1', size: 'medium', labels: web, action: 'restart', ageHours: 410 },
  { name: 'web-2', size: 'medium', labels: web, ageHours: 409 },
  { name: 'web-3', size: 'medium', labels: web, ageHours: 380 },
  { name: 'cache-1', size: 'small', labels: web, ageHours: 290 },
  { name: 'grafana', size: 'small', labels: { team: 'platform' }, ageHours: 215 },
  { name: 'mail-relay', size: 'small', labels: { env: 'prod' }, ageHours: 122 },
  {
    name: 'web-staging',
    size: 'small',
    labels: { env: 'staging', team: 'web' },
    action: 'stop',
    ageHours: 53,
  },
  { name: 'ci-runner-1', size: 'medium', labels: { team: 'platform', ci: '' }, ageHours: 9 },
  {
    name: 'ci-runner-2',
    size: 'medium',
    labels: { team: 'platform', ci: '' },
    action: 'pause',
    ageHours: 2,
  },
];

/** A receiver of webhooks, which accepts everything. */
async function startReceiver() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('ok'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Enters what an installation has after some months, as people have it. Returns the ID of the server `web-1`. */
export async function enterData(installation: Installation): Promise<number> {
  const { url, token, database, simulator } = installation;
  const { db } = database;
  const berth = createBerth({ url, token, project });
  await enterPeople(berth, db);
  const receiver = await startReceiver();
  for (const webhook of webhooks) {
    await berth.POST('/v1/webhooks', { body: { ...webhook, url: receiver.url } });
  }
  for (const { hourly, monthly, ...size } of sizes) {
    const price = { hourly, monthly, currency: 'EUR' };
    await berth.POST('/v1/sizes', { body: { ...size, price } });
  }
  for (const planned of servers) await createPlanned(berth, planned);
  await settled(db);
  receiver.close();
  for (const { project, uuid, bytes } of await memoryInUse(db)) {
    simulator.administrator.occupy(project, instanceName(uuid), { own: bytes });
  }
  const ages = new Map(servers.map(({ name, ageHours }) => [name, ageHours]));
  await letTimePass(db, ages);
  await enterUsage(db);
  const { data } = await berth.GET('/v1/servers', { params: { query: { q: 'web-1' } } });
  return Number(data[0]?.id);
}

const webhooks: Pick<components['schemas']['WebhookCreate'], 'name' | 'types'>[] = [
  { name: 'deploy-bot', types: ['server.started', 'server.stopped', 'server.failed'] },
  { name: 'on-call', types: ['server.failed', 'operation.ended'] },
];

async function enterPeople(berth: Berth, db: Db): Promise<void> {
  const params = { path: { id: 'default' } };
  const quota = { servers: 20, cpu: 48, ram: 65_536, disk: 800, addresses: 40 };
  await berth.PATCH('/v1/projects/{id}', { params, body: { name: 'shop', quota } });
  for (const name of ['analytics', 'internal-tools']) {
    await berth.POST('/v1/projects', { body: { name } });
  }
  for (const [email, role] of [
    ['grace@example.com', 'owner'],
    ['linus@example.com', 'member'],
    ['margaret@example.com', 'member'],
    ['auditor@example.com', 'viewer'],
  ] as const) {
    await createTestUser(db, { email, roles: { [project]: role } });
  }
  await sql`update users set name = case split_part(email, '@', 1)
    when 'ada' then 'Ada Lovelace' when 'grace' then 'Grace Hopper' when 'linus' then 'Linus Torvalds'
    when 'margaret' then 'Margaret Hamilton' else 'Auditor' end`.execute(db);
}

async function createPlanned(berth: Berth, { name, size, labels, action }: Planned): Promise<void> {
  const about = { location_id: 'local', os_id: 'debian-12', initialCommands: [] };
  const { data } = await berth.POST('/v1/servers', {
    body: { name, size, labels, password, ...about },
  });
  await waitForOperation(berth, data.operation.id);
  if (!action) return;
  const params = { path: { id: data.id } };
  const { data: accepted } = await berth.POST(`/v1/servers/{id}/${action}`, { params });
  await waitForOperation(berth, accepted.operation.id);
}

/** Waits until all events have been sent. */
async function settled(db: Db): Promise<void> {
  await until('all webhooks are sent', async () => {
    const { rows } = await sql<{ left: number }>`
      select (select count(*) from event_outbox) +
        (select count(*) from webhook_deliveries where status = 'pending') as left`.execute(db);
    return Number(rows[0]?.left) === 0;
  });
}
