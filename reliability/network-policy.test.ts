import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';

// Tests that the process that watches a location keeps the rules of its network up to date.

const network = 'berthbr0';

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory({ members: ['a', 'b'], pingMilliseconds: 200 });
});
after(() => laboratory.close());

const path = () => `/locations/${laboratory.place.locationId}`;
const is = (status: string) => async () => {
  const { network_policy } = (await laboratory.ask(path())) as {
    network_policy: { status: string };
  };
  assert.equal(network_policy.status, status);
};
const setSmtp = (smtp: 'open' | 'blocked') =>
  laboratory.database.db.updateTable('locations').set({ smtp }).execute();

it('a network gets its rules when it is first watched, and new ones as soon as they change', async () => {
  await eventually(is('applied'));
  const { client } = laboratory;
  const name = (await client.networks.get(network))?.config['security.acls'] ?? '';
  assert.match(name, /^berth-/);
  const holdsMailBack = async () => {
    const { egress = [] } = (await client.networkAcls.get(name))?.value ?? {};
    return egress.some(({ destination_port }) => destination_port === '25');
  };
  assert.equal(await holdsMailBack(), true);
  await setSmtp('open');
  await eventually(is('applied'));
  assert.equal(await holdsMailBack(), false);
});

it('a change while a member is away is applied when it is back, and creates continue meanwhile', async () => {
  laboratory.simulator.takeMemberDown('b', true);
  await setSmtp('blocked');
  await eventually(is('pending'));
  const { operation } = await laboratory.create('meanwhile');
  assert.equal((await laboratory.ended(operation.id)).status, 'succeeded');
  assert.match(await laboratory.metrics(), /location_network_policy_applied\{location="test"\} 0/);
  laboratory.simulator.takeMemberDown('b', false);
  await eventually(is('applied'));
});
