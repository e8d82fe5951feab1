import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startSimulator } from '../../../incus-sim/src/simulator.ts';
import { SetupError } from '../../../setup/commands.mjs';
import { loadConfig } from '../config/config.ts';
import { createIncusClient, type IncusClient } from '../incus/client.ts';
import { installationLabel } from '../instances/labels.ts';
import { ensureLocalLocation } from '../location-setup/local.ts';
import { keepNetworkPolicy } from '../reconcilers/network-policy.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { openHost } from './host.ts';
import { inWords, removeEverything, requireClear, takeInventory } from './uninstall.ts';

const root = mkdtempSync(join(tmpdir(), 'berth-uninstall-'));
after(() => rmSync(root, { recursive: true, force: true }));
const usual = { project: 'berth', pool: 'berth', network: 'berthbr0' };
let incuses = 0;

async function startIncus() {
  incuses += 1;
  const directory = join(root, `incus-${incuses}`);
  mkdirSync(directory);
  const simulator = await startSimulator({
    listen: { socketPath: join(directory, 'socket') },
    imageServers: ['images.linuxcontainers.org'],
  });
  after(() => simulator.close());
  return simulator;
}

type Incus = Awaited<ReturnType<typeof startIncus>>;

/** An installation whose service has been started on that Incus. */
async function installOn(incus: Incus, names = usual) {
  const { db, connectionString, close } = await createTestDatabase();
  after(close);
  const id = randomUUID();
  await db.updateTable('installation').set({ id }).execute();
  const { socketPath } = incus;
  const client = createIncusClient({ socketPath, project: names.project });
  after(() => client.close());
  const engine = { client, socketPath, names, diskPath: root };
  const location = await ensureLocalLocation(db, engine, () => undefined);
  const known = { findApi: async () => [], protectedAddresses: [] };
  const { signal } = new AbortController();
  const report = assert.fail;
  await keepNetworkPolicy({ db, client, locationId: location.id, ...known, signal, report });
  const config = loadConfig({ DATABASE_URL: connectionString, BERTH_DATA_DIR: join(root, id) });
  return { id, client, config, acl: `berth-${location.uuid}` };
}

/** An instance, started, as Berth makes them; without an id one of somebody else. */
async function addInstance(client: IncusClient, name: string, id: string | undefined) {
  const { operations, instances, images } = client;
  const { signal } = new AbortController();
  const until = async (call: Promise<{ id: string }>) =>
    operations.wait((await call).id, { signal, timeoutSeconds: 60 });
  const image = { server: 'https://images.linuxcontainers.org', alias: 'alpine/3.22' };
  await until(images.copy({ ...image, type: 'container' }));
  const [fingerprint = ''] = (await client.projects.get('berth'))?.used_by
    ?.map((url) => /images\/([0-9a-f]+)/.exec(url)?.[1])
    .filter((one) => one !== undefined) ?? [''];
  const root = { type: 'disk', path: '/', pool: 'berth' };
  const eth0 = { type: 'nic', name: 'eth0', network: 'berthbr0' };
  await until(
    instances.create({
      name,
      type: 'container',
      source: { type: 'image', fingerprint },
      config: id === undefined ? {} : { [installationLabel]: id },
      devices: { root, eth0 },
      profiles: [],
    }),
  );
  await until(instances.updateState(name, { action: 'start' }));
}

function machine(name: string) {
  const said: string[] = [];
  const path = join(root, name);
  mkdirSync(join(path, 'etc/sysctl.d'), { recursive: true });
  writeFileSync(join(path, 'etc/sysctl.d/60-berth.conf'), '');
  writeFileSync(join(path, 'etc/sysctl.d/99-other.conf'), '');
  writeFileSync(join(path, 'etc/subuid'), 'me:100000:65536\nroot:1000000:1000000000\n');
  return { path, said, host: openHost(path, (text) => said.push(text)) };
}

test('all that an installation has goes, and nothing else', async () => {
  const incus = await startIncus();
  const berth = await installOn(incus);
  await addInstance(berth.client, 'one', berth.id);
  const { path, host } = machine('machine');
  mkdirSync(berth.config.dataDir);
  const inventory = await takeInventory(berth.config);
  requireClear(inventory);
  const words = inWords(inventory, [berth.config.dataDir]).join('\n');
  assert.match(words, /project berth in Incus, with 1 servers and their disks, and 1 images/);
  assert.match(words, new RegExp(`network berthbr0.*network ACL ${berth.acl}.*pool berth`, 's'));
  await removeEverything(host, inventory, [berth.config.dataDir]);
  const { projects, pools, networks, acls } = incus.model;
  assert.deepEqual([...projects.keys()], ['default']);
  assert.deepEqual([pools.size, networks.size, acls.size], [0, 0, 0]);
  assert.ok(!existsSync(berth.config.dataDir));
  assert.ok(!existsSync(join(path, 'etc/sysctl.d/60-berth.conf')));
  assert.ok(existsSync(join(path, 'etc/sysctl.d/99-other.conf')));
  assert.equal(readFileSync(join(path, 'etc/subuid'), 'utf8'), 'me:100000:65536\n');
  // Nothing is left to do, and that is no fault.
  await removeEverything(host, await takeInventory(berth.config), []);
});

test('another installation’s project, pool and network stay, and what is set on the machine for it', async () => {
  const incus = await startIncus();
  const other = await installOn(incus);
  await addInstance(other.client, 'theirs', other.id);
  const own = await installOn(incus, { project: 'second', pool: 'second', network: 'second0' });
  const { path, host, said } = machine('shared');
  // As though it had been set to those, before there were marks.
  await removeEverything(host, await takeInventory(own.config), []);
  const { projects, pools, networks } = incus.model;
  assert.deepEqual([...projects.keys()], ['default', 'berth']);
  assert.deepEqual([[...pools.keys()], [...networks.keys()]], [['berth'], ['berthbr0']]);
  assert.ok(projects.get('berth')?.instances.has('theirs'));
  assert.ok(existsSync(join(path, 'etc/sysctl.d/60-berth.conf')));
  assert.match(said.join('\n'), /Others have instances in Incus/);
});

test('what bears another id, or none, stays, whatever the records say', async () => {
  const incus = await startIncus();
  const berth = await installOn(incus);
  const { projects, pools, networks } = incus.model;
  const project = projects.get('berth');
  assert.ok(project);
  project.config[installationLabel] = randomUUID();
  delete pools.get('berth')?.config[installationLabel];
  const inventory = await takeInventory(berth.config);
  const words = inWords(inventory, []).join('\n');
  assert.match(words, /The project berth stays: it is of another installation of Berth/);
  assert.match(words, /The storage pool berth stays: it does not say that this installation/);
  await removeEverything(machine('foreign').host, inventory, []);
  assert.ok(projects.has('berth') && pools.has('berth'));
  assert.ok(!networks.has('berthbr0'));
});

test('who uses what would go is named, and nothing is removed', async () => {
  const incus = await startIncus();
  const berth = await installOn(incus);
  await addInstance(berth.client, 'by-hand', undefined);
  const lan = { name: 'lan0', type: 'bridge' as const, description: '' };
  await berth.client.networks.create({ ...lan, config: { 'security.acls': berth.acl } });
  const inventory = await takeInventory(berth.config);
  const named = (error: unknown) => {
    assert.ok(error instanceof SetupError);
    assert.match(error.output, /The instance by-hand in the project berth is not of Berth/);
    assert.match(
      error.output,
      new RegExp(`The network ACL ${berth.acl} is used by /1\\.0/networks/lan0`),
    );
    return true;
  };
  assert.throws(() => requireClear(inventory), named);
  assert.ok(incus.model.projects.get('berth')?.instances.has('by-hand'));
});

test('a network that is somebody else’s is let go of its rules', async () => {
  const incus = await startIncus();
  incus.plant({ ...usual, imageAliases: [] });
  const berth = await installOn(incus);
  const { networks, acls } = incus.model;
  assert.equal(networks.get('berthbr0')?.config['security.acls'], berth.acl);
  const inventory = await takeInventory(berth.config);
  requireClear(inventory);
  await removeEverything(machine('detached').host, inventory, []);
  assert.equal(networks.get('berthbr0')?.config['security.acls'], '');
  assert.equal(acls.size, 0);
});

test('an Incus that does not answer is named', async () => {
  const incus = await startIncus();
  const berth = await installOn(incus);
  await incus.close();
  await assert.rejects(takeInventory(berth.config), (error: unknown) => {
    assert.ok(error instanceof SetupError);
    assert.match(error.message, /does not answer at .*socket/);
    return true;
  });
});
