import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { newMember } from '../../../incus-sim/src/model.ts';
import { startSimulator } from '../../../incus-sim/src/simulator.ts';
import { SetupError } from '../../../setup/commands.mjs';
import { createIncusClient } from '../incus/client.ts';
import { installationLabel } from '../instances/labels.ts';
import { findLocationNamed } from '../locations/queries.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { toolInTerminal, toolOn } from '../testing/tool.ts';
import { ensureLocalLocation } from './local.ts';

const directory = mkdtempSync(join(tmpdir(), 'berth-local-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const usual = { project: 'berth', pool: 'berth', network: 'berthbr0' };

/** The empty Incus of a machine. */
async function startIncus(name: string) {
  const simulator = await startSimulator({ listen: { socketPath: join(directory, name) } });
  after(() => simulator.close());
  return simulator;
}

async function installation() {
  const { db, connectionString, close } = await createTestDatabase();
  after(close);
  const id = randomUUID();
  // All test databases are copies with the same id, so each gets a new one.
  await db.updateTable('installation').set({ id }).execute();
  /** Does the same as the start of a service. */
  const start = async ({ socketPath }: { socketPath: string }, names = usual) => {
    const client = createIncusClient({ socketPath, project: names.project });
    try {
      const engine = { client, socketPath, names, diskPath: directory };
      return await ensureLocalLocation(db, engine, () => undefined);
    } finally {
      await client.close();
    }
  };
  return { db, connectionString, id, start, local: () => findLocationNamed(db, 'local') };
}

function saying(message: RegExp, wayOut: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof SetupError, String(error));
    assert.match(error.message, message);
    assert.match(error.wayOut, wayOut);
    return true;
  };
}

test('resources that a start creates in Incus have the id of the installation', async () => {
  const [incus, berth] = [await startIncus('made'), await installation()];
  await berth.start(incus);
  const { projects, pools, networks } = incus.model;
  for (const thing of [projects.get('berth'), pools.get('berth'), networks.get('berthbr0')]) {
    assert.equal(thing?.config[installationLabel], berth.id);
  }
  const again = await berth.start(incus);
  assert.deepEqual(again.engine, {
    socket_path: incus.socketPath,
    fingerprint: incus.model.ownFingerprint,
  });
});

test('another project, pool or network than the known one is refused, and none is created', async () => {
  const [incus, berth] = [await startIncus('named'), await installation()];
  await berth.start(incus);
  for (const [names, words] of [
    [{ ...usual, project: 'brth' }, /BERTH_LOCAL_PROJECT is "brth".* the project "berth"/],
    [{ ...usual, pool: 'bert' }, /BERTH_LOCAL_POOL is "bert".* the storage pool "berth"/],
    [{ ...usual, network: 'berthb0' }, /BERTH_LOCAL_NETWORK is "berthb0".* network "berthbr0"/],
  ] as const) {
    const wayOut = /^Set BERTH_LOCAL_\w+=berth.*location -- remove local/;
    await assert.rejects(berth.start(incus, names), saying(words, wayOut));
  }
  const { projects, pools, networks } = incus.model;
  assert.deepEqual([...projects.keys()], ['default', 'berth']);
  assert.deepEqual([[...pools.keys()], [...networks.keys()]], [['berth'], ['berthbr0']]);
});

test('another Incus than the known one is refused', async () => {
  const [one, another] = [await startIncus('one'), await startIncus('another')];
  const berth = await installation();
  await berth.start(one);
  const before = await berth.local();
  const words = saying(
    /another is not the one that the location local is on, .* at \S+one\.$/,
    /BERTH_INCUS_SOCKET.*BERTH_LOCAL=false.*location -- rebind local/,
  );
  await assert.rejects(berth.start(another), words);
  // With services that share a database, the other Incus can have a network without an owner.
  another.plant({ ...usual, imageAliases: [] });
  await assert.rejects(berth.start(another), words);
  assert.deepEqual((await berth.local())?.engine, before?.engine);
});

test('the same Incus is recognised after it has become a cluster, and after its project was removed', async () => {
  const [incus, berth] = [await startIncus('same'), await installation()];
  await berth.start(incus);
  incus.model.projects.delete('berth');
  await berth.start(incus);
  incus.model.ownFingerprint = 'f'.repeat(64);
  await assert.rejects(berth.start(incus), SetupError, 'the label of the project could be copied');
  incus.model.members.set('a', newMember('a', '10.0.0.1:8443'));
  await berth.start(incus);
  assert.equal(incus.model.projects.get('berth')?.config[installationLabel], berth.id);
});

test('an Incus that replaces another is accepted once an administrator says so', async () => {
  const [lost, replaced] = [await startIncus('lost'), await startIncus('replaced')];
  const berth = await installation();
  await berth.start(lost);
  await assert.rejects(berth.start(replaced), SetupError);
  const rebind = (...args: string[]) =>
    toolOn(berth.connectionString, 'location')('rebind', 'local', ...args);
  const typing = (typed: string) =>
    toolInTerminal(berth.connectionString, 'location', typed)('rebind', 'local');
  for (const { code, stdout, stderr } of [await rebind(), await typing('yes\n')]) {
    assert.equal(code, 1, stderr);
    assert.match(stdout + stderr, /has 0 servers[\s\S]*Nothing was changed/);
    await assert.rejects(berth.start(replaced), SetupError);
  }
  const { code, stdout } = await typing('rebind\n');
  assert.deepEqual([code, /next start of a service takes/.test(stdout)], [0, true], stdout);
  await berth.start(replaced);
  await assert.rejects(berth.start(lost), SetupError);
  assert.equal((await rebind('--yes')).code, 0);
  await berth.start(lost);
});

test('resources of another installation are not used', async () => {
  const incus = await startIncus('shared');
  const [first, second] = [await installation(), await installation()];
  await first.start(incus);
  const wayOut = new RegExp(
    `BERTH_LOCAL_PROJECT.*incus project set berth ${installationLabel}=${second.id}`,
  );
  const words = new RegExp(`Another installation of Berth \\(${first.id}\\) has this`);
  await assert.rejects(second.start(incus), saying(words, wayOut));
  const onItsNetwork = { project: 'second', pool: 'second', network: 'berthbr0' };
  await assert.rejects(second.start(incus, onItsNetwork), saying(/network berthbr0\.$/, wayOut2));
  assert.ok(!incus.model.projects.has('second'), 'nothing was created');
});

const wayOut2 = /^Use other names for this one/;

test('an existing project is used, and labelled', async () => {
  const [incus, berth] = [await startIncus('beforehand'), await installation()];
  incus.plant({ ...usual, imageAliases: [] });
  await berth.start(incus);
  assert.equal(incus.model.projects.get('berth')?.config[installationLabel], berth.id);
  assert.equal(incus.model.pools.get('berth')?.config[installationLabel], undefined);
});
