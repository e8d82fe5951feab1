import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { instanceName } from '../service/src/instances/labels.ts';
import { uuidOf } from './metering-fleet.ts';
import { act, changes } from './queries-changes.ts';
import { reads, readsOfAll } from './queries-reads.ts';
import { post, sizeOf, wanted } from './scale.ts';
import { call, type Installation } from './scale-installation.ts';

/** Long enough for each sweep, and for four rounds of metering. */
const idleSeconds = 70;

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
    const operationId = await act(service, number + 1, 'restart');
    for (const path of reads({ number, operationId, webhookId })) await call(service, path);
    await post(service, '/v1/servers/dry-run', wanted(fleet, at));
    await post(service, '/v1/servers', wanted(fleet, at));
    const key = { 'idempotency-key': randomUUID() };
    // The second request gets the answer to the first.
    for (const _ of ['first', 'again']) await post(service, '/v1/servers', wanted(fleet, at), key);
    await changes(service, number + 2, wanted(fleet, at));
    await changeByHand(installation, (number + 1) % sizeOf(fleet));
  }
  for (const path of readsOfAll) await call(service, path);
  await sleep(idleSeconds * 1000);
}

/**
 * Gives the instance of a server one more core in Incus, which the next sweep records as drift: the fleet begins without
 * any.
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
