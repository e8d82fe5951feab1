import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { after, test } from 'node:test';
import { startSimulator } from '../../../incus-sim/src/simulator.ts';
import { SetupError } from '../../../setup/commands.mjs';
import { recordFile, recordText, sha256 } from '../../../setup/written.mjs';
import { loadConfig } from '../config/config.ts';
import { createIncusClient, type IncusClient } from '../incus/client.ts';
import { installationLabel } from '../instances/labels.ts';
import { ensureLocalLocation } from '../location-setup/local.ts';
import { reconcileNetworkPolicy } from '../reconcilers/network-policy.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { openHost, places } from './host.ts';
import { announcedInWords, askToRemove } from './removal-question.ts';
import {
  type Inventory,
  inWords,
  removeEverything,
  requireClear,
  takeInventory,
} from './uninstall.ts';
import { uninstallAll, uninstalledInWords } from './uninstall-all.ts';

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

/** An installation whose service was started on that Incus. */
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
  await reconcileNetworkPolicy({ db, client, locationId: location.id, ...known, signal, report });
  const config = loadConfig({ DATABASE_URL: connectionString, BERTH_DATA_DIR: join(root, id) });
  return { id, client, config, acl: `berth-${location.uuid}` };
}

/** Adds a running instance like those of Berth; without an id, it belongs to somebody else. */
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

const settings = '/etc/sysctl.d/60-berth.conf';
const backports = '/etc/apt/sources.list.d/berth-backports.sources';
const range = 'root:1000000:1000000000';

/** A machine with the files that a start writes, which are recorded if `dataDir` is set. */
function machine(name: string, dataDir?: string) {
  const said: string[] = [];
  const path = join(root, name);
  const write = (file: string, content: string) => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), content);
  };
  write(settings, 'a = 1\n');
  write(backports, 'Types: deb\n');
  write('etc/sysctl.d/99-other.conf', '');
  write('etc/subuid', `me:100000:65536\n${range}\n`);
  if (dataDir !== undefined) {
    const replaced = ['root:165536:65536'];
    const files = { [settings]: 'a = 1\n', [backports]: 'Types: deb\n' };
    const record = Object.entries(files).map(([path, text]) => ({
      ...{ path, dataDir, sha256: sha256(text) },
    }));
    const line = { path: '/etc/subuid', dataDir, added: range, replaced };
    write(recordFile, recordText([...record, line]));
  }
  const read = (file: string) => readFileSync(join(path, file), 'utf8');
  const has = (file: string) => existsSync(join(path, file));
  return {
    path,
    said,
    write,
    read,
    has,
    host: openHost(path, (text) => said.push(text), undefined),
  };
}

/** The list that is printed before the question, and the sentences about what is kept. */
function listed(inventory: Inventory, dataDirs: string[] = []) {
  const { goes, stays } = inWords(inventory, dataDirs);
  return { goes: goes.join('\n'), stays: stays.join('\n') };
}

test('everything that the list names is removed, and nothing else', async () => {
  const incus = await startIncus();
  const berth = await installOn(incus);
  await addInstance(berth.client, 'one', berth.id);
  const { dataDir } = berth.config;
  const { host, has, read, write, said } = machine('machine', dataDir);
  mkdirSync(dataDir);
  const inventory = await takeInventory(host, berth.config);
  requireClear(inventory);
  const { goes, stays } = listed(inventory, [dataDir]);
  assert.match(goes, /project berth in Incus, with 1 server and its disk, and 1 image$/m);
  assert.match(goes, new RegExp(`network berthbr0.*network ACL ${berth.acl}.*pool berth`, 's'));
  for (const what of [settings, backports, `/etc/subuid, the line ${range}`, recordFile, dataDir]) {
    assert.ok(goes.includes(what), what);
  }
  assert.equal(stays, '');
  // Another program changes the file while the question waits for its answer.
  write('etc/subuid', `${read('etc/subuid')}late:2000000000:65536\n`);
  await removeEverything(host, inventory, [dataDir]);
  const { projects, pools, networks, acls } = incus.model;
  assert.deepEqual([...projects.keys()], ['default']);
  assert.deepEqual([pools.size, networks.size, acls.size], [0, 0, 0]);
  assert.ok(said.includes(`Deleting the network ACL ${berth.acl}`));
  assert.ok(!existsSync(dataDir));
  assert.deepEqual([has(settings), has(backports), has(recordFile)], [false, false, false]);
  assert.ok(has('etc/sysctl.d/99-other.conf'));
  // It has its previous content.
  assert.equal(read('etc/subuid'), 'me:100000:65536\nroot:165536:65536\nlate:2000000000:65536\n');
  // Repeating the removal is not an error.
  await removeEverything(host, await takeInventory(host, berth.config), []);
});

test('files on the machine are kept if they are not recorded, belong to another Berth or were changed since', async () => {
  const incus = await startIncus();
  const { config } = await installOn(incus);
  const unknown = machine('unrecorded');
  const before = unknown.read('etc/subuid');
  const inventory = await takeInventory(unknown.host, config);
  const { goes, stays } = listed(inventory);
  assert.doesNotMatch(goes, /\/etc/);
  assert.match(stays, /60-berth\.conf stays: there is no record .*by hand/);
  assert.match(stays, /range of ids in \/etc\/subuid stays: there is no record/);
  await removeEverything(unknown.host, inventory, []);
  assert.ok(unknown.has(settings) && unknown.has(backports));
  assert.equal(unknown.read('etc/subuid'), before);

  const others = machine('of-another', '/srv/other');
  assert.match(
    listed(await takeInventory(others.host, config)).stays,
    /60-berth\.conf stays: it was written for the Berth in \/srv\/other/,
  );
  const changed = machine('changed', config.dataDir);
  changed.write(settings, 'a = 2\n');
  const own = await takeInventory(changed.host, config);
  assert.match(listed(own).stays, /60-berth\.conf stays: it was changed after Berth wrote it/);
  await removeEverything(changed.host, own, []);
  assert.deepEqual([changed.has(settings), changed.has(backports)], [true, false]);
  assert.ok(changed.read(recordFile).includes(settings));
});

test('id ranges are kept while another incusd or LXC runs', async () => {
  const incus = await startIncus();
  const { config } = await installOn(incus);
  const cases: [string, boolean][] = [
    ['/usr/libexec/incus/incusd\0--group\0incus-admin\0', true],
    ['[lxc monitor] /var/lib/lxc guest\0', true],
    ['lxc-start\0-n\0guest\0', true],
    ['/usr/libexec/incus/incusd\0forkproxy\0', false],
    [`[lxc monitor] ${dirname(incus.socketPath)}/containers berth_one\0`, false],
    ['bash\0', false],
  ];
  for (const [index, [command, isOther]] of cases.entries()) {
    const { host, write } = machine(`runtime-${index}`, config.dataDir);
    write('proc/7/cmdline', command);
    write(`proc/${process.pid}/cmdline`, 'incusd\0');
    const { goes, stays } = listed(await takeInventory(host, config));
    assert.equal(goes.includes('/etc/subuid'), !isOther, command);
    assert.equal(/\/etc\/subuid stays: others run .*process 7/.test(stays), isOther, command);
  }
});

test('the daemon is shut down and lxcfs is unmounted if Berth has started them', async () => {
  const incus = await startIncus();
  const { config } = await installOn(incus);
  const directory = dirname(incus.socketPath);
  const foreign = machine('foreign-daemon', config.dataDir);
  writeFileSync(join(directory, 'berth-lxcfs.pid'), '8');
  foreign.write('proc/8/cmdline', 'lxcfs\0-p\0');
  const left = await takeInventory(foreign.host, config);
  assert.doesNotMatch(listed(left).goes, /daemon|lxcfs/);
  assert.equal(listed(left).stays, '');
  mkdirSync(join(directory, 'logs'));
  writeFileSync(join(directory, 'logs/berth-incusd.log'), '');
  const unrecorded = listed(await takeInventory(foreign.host, config)).stays;
  assert.match(
    unrecorded,
    /daemon \(process \d+\) stays: there is no record .*INCUS_DIR=.* incus admin shutdown/,
  );
  foreign.write('run/systemd/system/x', '');
  assert.equal(listed(await takeInventory(foreign.host, config)).stays, '');
  writeFileSync(join(directory, 'berth-incusd.pid'), String(process.pid));
  const own = machine('own-daemon', config.dataDir);
  own.write('proc/8/cmdline', 'sleep\0');
  assert.doesNotMatch(listed(await takeInventory(own.host, config)).goes, /lxcfs/);
  own.write('proc/8/cmdline', 'lxcfs\0-p\0');
  const inventory = await takeInventory(own.host, config);
  assert.match(listed(inventory).goes, /Incus daemon that Berth has started.*\/var\/lib\/lxcfs/s);
  own.write('proc/9/cmdline', '[lxc monitor] /var/lib/lxc guest\0');
  const shared = listed(await takeInventory(own.host, config));
  assert.doesNotMatch(shared.goes, /lxcfs/);
  assert.match(shared.stays, /The lxcfs at \/var\/lib\/lxcfs stays: .*lxc, process 9/);
  await removeEverything(own.host, inventory, []);
  assert.match(own.said.join('\n'), /incus admin shutdown.*umount \/var\/lib\/lxcfs/s);
  await removeEverything(foreign.host, left, []);
  assert.doesNotMatch(foreign.said.join('\n'), /umount|shutdown/);
});

test('the question takes an answer at a terminal alone, and only "remove" removes', async () => {
  const ask = (text: string, isTTY = true) =>
    askToRemove(Object.assign(Readable.from([text]), { isTTY }), new PassThrough());
  await ask('remove\n');
  await assert.rejects(ask('no\n'), /^Error: Nothing was removed\.$/);
  await assert.rejects(ask(''), /there was no answer/);
  await assert.rejects(ask('remove\n', false), /Nothing was removed: .* terminal/);
  assert.equal(
    announcedInWords({ goes: ['the network n'], stays: ['A stays.'] }),
    'This will be removed:\n  - the network n\n\nA stays.\n\n',
  );
});

test('the project, the pool, the network and the machine settings of another installation are kept', async () => {
  const incus = await startIncus();
  const other = await installOn(incus);
  await addInstance(other.client, 'theirs', other.id);
  const own = await installOn(incus, { project: 'second', pool: 'second', network: 'second0' });
  const { host, said, has, write } = machine('shared', own.config.dataDir);
  const directory = dirname(incus.socketPath);
  writeFileSync(join(directory, 'berth-incusd.pid'), String(process.pid));
  writeFileSync(join(directory, 'berth-lxcfs.pid'), '8');
  write('proc/8/cmdline', 'lxcfs\0-p\0');
  // The machine settings are recorded for the installation that is removed.
  const inventory = await takeInventory(host, own.config);
  assert.match(listed(inventory).stays, /Others have instances in Incus/);
  assert.match(listed(inventory).stays, /started stays: the Incus daemon and lxcfs at /);
  await removeEverything(host, inventory, []);
  const { projects, pools, networks } = incus.model;
  assert.deepEqual([...projects.keys()], ['default', 'berth']);
  assert.deepEqual([[...pools.keys()], [...networks.keys()]], [['berth'], ['berthbr0']]);
  assert.ok(projects.get('berth')?.instances.has('theirs'));
  assert.ok(has(settings));
  assert.match(said.join('\n'), /Others have instances in Incus/);
});

test('objects with another id, or without one, are kept, whatever the records say', async () => {
  const incus = await startIncus();
  const berth = await installOn(incus);
  const { projects, pools, networks } = incus.model;
  const project = projects.get('berth');
  assert.ok(project);
  project.config[installationLabel] = randomUUID();
  delete pools.get('berth')?.config[installationLabel];
  const { host } = machine('foreign');
  const inventory = await takeInventory(host, berth.config);
  const words = listed(inventory).stays;
  assert.match(words, /The project berth stays: it is of another installation of Berth/);
  assert.match(words, /The storage pool berth stays: it does not say that this installation/);
  await removeEverything(host, inventory, []);
  assert.ok(projects.has('berth') && pools.has('berth'));
  assert.ok(!networks.has('berthbr0'));
});

test('instances left by a probe and by the unpacking of an image are removed as well', async () => {
  const incus = await startIncus();
  const berth = await installOn(incus);
  for (const name of ['berth-probe-1-incoming', 'berth-unpack-1']) {
    await addInstance(berth.client, name, undefined);
  }
  const { host } = machine('left');
  const inventory = await takeInventory(host, berth.config);
  requireClear(inventory);
  await removeEverything(host, inventory, []);
  assert.ok(!incus.model.projects.has('berth'));
});

test('if others use something that would be removed, they are named, and nothing is removed', async () => {
  const incus = await startIncus();
  const berth = await installOn(incus);
  await addInstance(berth.client, 'by-hand', undefined);
  const lan = { name: 'lan0', type: 'bridge' as const, description: '' };
  await berth.client.networks.create({ ...lan, config: { 'security.acls': berth.acl } });
  const inventory = await takeInventory(machine('in-the-way').host, berth.config);
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

test('the ACL is detached from a network of somebody else', async () => {
  const incus = await startIncus();
  incus.plant({ ...usual, imageAliases: [] });
  const berth = await installOn(incus);
  const { networks, acls } = incus.model;
  assert.equal(networks.get('berthbr0')?.config['security.acls'], berth.acl);
  const { host, said } = machine('detached');
  const inventory = await takeInventory(host, berth.config);
  requireClear(inventory);
  await removeEverything(host, inventory, []);
  assert.equal(networks.get('berthbr0')?.config['security.acls'], '');
  assert.match(said.join('\n'), /^Detaching the network ACL berth-\S+ from the network berthbr0$/m);
  assert.equal(acls.size, 0);
});

test('an Incus that does not answer is named', async () => {
  const incus = await startIncus();
  const berth = await installOn(incus);
  await incus.close();
  await assert.rejects(takeInventory(machine('silent').host, berth.config), (error: unknown) => {
    assert.ok(error instanceof SetupError);
    assert.match(error.message, /does not answer at .*socket/);
    return true;
  });
});

test('the list has everything of a service, and a folder without a Berth is kept and named', async () => {
  const { host, write, has } = machine('service');
  mkdirSync(join(host.root, dirname(places.current)), { recursive: true });
  symlinkSync('/opt/berth/1', join(host.root, places.current));
  write(`${places.data}/secret-key`, '');
  write(`${places.exports}/one.gz`, '');
  write(`${places.cache}/image`, '');
  write(places.settings, '');
  write('opt/berth/1/data-simulated/mine', '');
  const folder = join(host.root, 'opt/berth/1');
  let told = { goes: [''], stays: [''] };
  const confirm = async (announced: typeof told) => {
    told = announced;
    throw new SetupError('Nothing was removed.', '');
  };
  await assert.rejects(uninstallAll(host, { folder, confirm }), /Nothing was removed/);
  const goes = told.goes.join('\n');
  const { current, data, exports, cache, settings } = places;
  for (const path of [current, data, exports, cache, settings, 'user berth', 'berth.service']) {
    assert.ok(goes.includes(path), path);
  }
  assert.deepEqual(told.stays, [`${folder}/data-simulated stays: there is no Berth in it.`]);
  assert.ok(has(`${exports}/one.gz`));
});

test('a data directory without a Berth is named and kept', async (context) => {
  const dataDir = mkdtempSync(join(root, 'no-berth-'));
  writeFileSync(join(dataDir, 'mine'), '');
  const { BERTH_DATA_DIR: before } = process.env;
  process.env.BERTH_DATA_DIR = dataDir;
  context.after(() => {
    if (before === undefined) delete process.env.BERTH_DATA_DIR;
    else process.env.BERTH_DATA_DIR = before;
  });
  const { host } = machine('nothing');
  const refused = uninstallAll(host, { folder: root, confirm: async () => assert.fail() });
  await assert.rejects(refused, new RegExp(`There is no Berth in ${dataDir}: nothing was removed`));
  assert.ok(existsSync(join(dataDir, 'mine')));
});

test('a simulated installation that BERTH_DATA_DIR names is removed without its Incus', async (context) => {
  const dataDir = mkdtempSync(join(root, 'simulated-'));
  for (const folder of ['postgres', 'mine']) mkdirSync(join(dataDir, folder));
  writeFileSync(join(dataDir, 'simulated'), '');
  const { BERTH_DATA_DIR: before } = process.env;
  process.env.BERTH_DATA_DIR = dataDir;
  context.after(() => {
    if (before === undefined) delete process.env.BERTH_DATA_DIR;
    else process.env.BERTH_DATA_DIR = before;
  });
  const { host } = machine('simulated');
  let goes: string[] = [];
  const confirm = async (announced: { goes: string[] }) => {
    goes = announced.goes;
  };
  const removed = await uninstallAll(host, { folder: root, confirm });
  assert.deepEqual(goes, [`${dataDir}, with all that is in it`]);
  assert.equal(removed.wasSimulated, true);
  const words = uninstalledInWords(removed, root);
  assert.equal(words, `Berth is removed.\n\nThis folder stays: rm -r ${root}`);
  const ofMachine = { ...removed, wasSimulated: false };
  const real = uninstalledInWords(ofMachine, root);
  assert.match(real, /^apt-get remove incus-base incus-client lxcfs mmdebstrap$/m);
  assert.match(real, /^Keep btrfs-progs, nftables, dnsmasq-base, uidmap and iproute2 where/m);
  assert.ok(!existsSync(dataDir));
});
