import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';

// Tests that no guest runs on a network without its first rules.

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory({ sweepMilliseconds: 300 });
  await eventually(async () => assert.equal((await policy()).status, 'applied'));
});
afterEach(() => laboratory.simulator.faults.clear());
after(() => laboratory.close());

async function policy() {
  const path = `/locations/${laboratory.place.locationId}`;
  const { network_policy } = (await laboratory.ask(path)) as {
    network_policy: { status: string; reason: string | null };
  };
  return network_policy;
}

/** After this, no rules are written, not even by a run that was in progress. */
async function rulesFail(path: string) {
  laboratory.simulator.faults.add({ kind: 'error', text: 'not now', status: 500, path });
  await eventually(async () => assert.ok((await policy()).reason));
}

const instances = async () => (await laboratory.client.instances.list()).length;

/** Creates a server that waits, with a message that matches, and that continues when the faults are removed. */
async function waitsFor(words: RegExp) {
  const there = await instances();
  const { operation } = await laboratory.create('early');
  const path = `/operations/${operation.id}`;
  await eventually(async () => {
    assert.match(String((await laboratory.ask(path)).message), words);
  });
  assert.equal(await instances(), there);
  laboratory.simulator.faults.clear();
  assert.equal((await laboratory.ended(operation.id)).status, 'succeeded');
}

describe('a create', () => {
  it('waits for the first rules of its network, and says so', async () => {
    await rulesFail('/network-acls');
    await sql`update locations set policy_applied = 0`.execute(laboratory.database.db);
    await waitsFor(/waiting until the network of its location has rules/);
  });

  it('waits for those of a network to which its location was moved', async () => {
    const { db } = laboratory.database;
    await rulesFail('/networks/|/network-acls');
    await sql`update locations set network = 'otherbr0'`.execute(db);
    await sql`update locations set network = 'berthbr0'`.execute(db);
    await waitsFor(/waiting until the network of its location has rules/);
  });

  it('waits until the addresses of a reachable node are known', async () => {
    const error = { kind: 'error', text: 'not now', status: 500 } as const;
    laboratory.simulator.faults.add({ ...error, path: '/networks/eth0/state' });
    await sql`update nodes set addresses = null`.execute(laboratory.database.db);
    await waitsFor(/waiting until the addresses of all nodes are known/);
  });
});
