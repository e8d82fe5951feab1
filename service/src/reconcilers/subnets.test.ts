import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { NetworkKind } from '../db/schema/schema.ts';
import type { IncusClient } from '../incus/client.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { syncSubnets } from './subnets.ts';

const { db, close } = await createTestDatabase();
after(close);
const { locationId } = await installation(db);
const { signal } = new AbortController();

/** Syncs the subnets of a network with this configuration, or of a missing network if it is null, and returns them. */
async function recorded(config: Record<string, string> | null, network_kind: NetworkKind) {
  const get = async (name: string, member: unknown, options: unknown) => {
    assert.deepEqual([name, member, options], ['net0', undefined, { signal }]);
    return config && { type: 'bridge', managed: true, config };
  };
  const client = { networks: { get } } as unknown as IncusClient;
  await syncSubnets({ db, client, locationId, signal }, { network: 'net0', network_kind });
  const row = db.selectFrom('locations').select('network_subnets').where('id', '=', locationId);
  return (await row.executeTakeFirstOrThrow()).network_subnets;
}

test('the subnets of a network that Incus manages are recorded, as long as it exists', async () => {
  const both = { 'ipv4.address': '10.5.0.1/24', 'ipv6.address': 'fd00:5::1/64' };
  const subnets = ['10.5.0.0/24', 'fd00:5::/64'];
  assert.deepEqual(await recorded(both, 'bridge'), subnets);
  assert.deepEqual(await recorded(null, 'bridge'), subnets);
  assert.deepEqual(await recorded({ 'ipv4.address': '10.6.0.1/24' }, 'unmanaged'), subnets);
  assert.deepEqual(await recorded({ 'ipv4.address': '10.6.0.1/24' }, 'ovn'), ['10.6.0.0/24']);
});
