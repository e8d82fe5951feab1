import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { instanceName } from '../service/src/instances/labels.ts';
import { uuidOf } from './metering-fleet.ts';
import { post, sizeOf, wanted } from './scale.ts';
import { call, type Installation } from './scale-installation.ts';

/** Long enough for each sweep, and for four rounds of metering. */
const idleSeconds = 70;

const listOptions = [
  '',
  '&sort=-id',
  '&sort=hostname',
  '&sort=-created_at',
  '&status=started',
  '&location_id=1',
  `&hostname=bench-${uuidOf(1)}`,
  '&q=ben',
  '&label_selector=env=prod,!old',
];

/** The lists and objects that are read in each round. */
const reads = (id: number, webhookId: number) => [
  `/v1/servers/${id}`,
  `/v1/servers/${id}/status`,
  `/v1/servers/${id}/usage`,
  ...listOptions.map((option) => `/v1/servers?limit=100${option}`),
  `/v1/operations?server_id=${id}`,
  '/v1/operations?sort=-id',
  '/v1/operations?sort=-id&limit=100&label_selector=env=prod,!old',
  '/v1/audit?sort=-id',
  '/v1/nodes?limit=100',
  `/v1/drift?server_id=${id}`,
  ...['', '&kind=changed', '&location_id=1', '&q=srv', '&forgotten=true'].map(
    (option) => `/v1/drift?limit=100${option}`,
  ),
  '/v1/webhooks',
  `/v1/webhooks/${webhookId}`,
  `/v1/webhooks/${webhookId}/deliveries?limit=100&sort=-id`,
];

/** Those that are read once, because they are of all servers. */
const readsOfAll = [
  '/metrics',
  '/v1/projects/default/statement',
  '/v1/projects/default/statement.csv',
];

/** Has all events sent to a URL from now on. Returns the ID of the webhook. */
export async function createWebhook({ service }: Installation, url: string): Promise<number> {
  const created: { id: number } = JSON.parse(
    await post(service, '/v1/webhooks', { name: 'bench', url }),
  );
  return created.id;
}

/** Requests of each kind, and then sweeps, metering and deliveries alone. */
export async function workload(
  installation: Installation,
  webhookId: number,
  rounds: number,
): Promise<void> {
  const { service, fleet } = installation;
  for (let at = 0; at < rounds; at += 1) {
    const number = (at * 7919) % sizeOf(fleet);
    const id = number + 1;
    for (const path of reads(id, webhookId)) await call(service, path);
    await post(service, '/v1/servers/dry-run', wanted(fleet, at));
    await post(service, '/v1/servers', wanted(fleet, at));
    const key = { 'idempotency-key': randomUUID() };
    // The second request gets the answer to the first.
    for (const _ of ['first', 'again']) await post(service, '/v1/servers', wanted(fleet, at), key);
    await post(service, `/v1/servers/${id}/restart`, {});
    await changeByHand(installation, (number + 1) % sizeOf(fleet));
  }
  for (const path of readsOfAll) await call(service, path);
  await sleep(idleSeconds * 1000);
}

/**
 * Gives the instance of a server one more core in Incus, which the next sweep records. All instances of the fleet are
 * drift already, because they lack some settings.
 * @param number of the server, from 0
 */
async function changeByHand({ fleet, clients }: Installation, number: number): Promise<void> {
  const location = Math.floor(number / (fleet.nodesPerLocation * fleet.serversPerNode));
  const client = clients[location];
  if (!client) throw new Error(`There is no location ${location}.`);
  await client.instances.change(instanceName(uuidOf(number)), ({ config }) => ({
    config: { 'limits.cpu': String(Number(config['limits.cpu']) + 1) },
  }));
}
