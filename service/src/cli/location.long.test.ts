import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Simulator, startSimulator } from '../../../incus-sim/src/simulator.ts';
import { fingerprintOf } from '../incus/certificates.ts';
import { createIncusClient } from '../incus/client.ts';
import { selfSigned } from '../incus/test-server.ts';
import { loadIdentity } from '../locations/identity.ts';
import { findLocationNamed } from '../locations/queries.ts';
import { createTestToken } from '../testing/app.ts';
import { testKeyring } from '../testing/keys.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { toolInTerminal, toolOn } from '../testing/tool.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const masterKey = Buffer.alloc(32, 7);
const secretKey = testKeyring(masterKey);
const directory = temporaryDirectory('locations');
after(() => rmSync(directory, { recursive: true, force: true }));
writeFileSync(join(directory, 'secret-key'), `${masterKey.toString('hex')}\n`);
const { db, connectionString, close } = await createTestDatabase();
after(close);
const tool = 'location';
const run = toolOn(connectionString, tool, '', { BERTH_DATA_DIR: directory });

let simulators = 0;

/** Starts an Incus over HTTPS at two addresses, with everything that a location needs. It trusts no client yet. */
async function startIncus(members: string[] = []) {
  simulators += 1;
  const own = selfSigned(join(directory, `server-${simulators}`));
  // The socket is for its administrator.
  const socketPath = join(directory, `incus-${simulators}`);
  const alsoListen = [own, { socketPath }];
  const simulator = await startSimulator({ listen: own, alsoListen, members });
  after(() => simulator.close());
  const names = { project: 'other', pool: 'berth', network: 'berthbr0' };
  simulator.plant({ ...names, imageAliases: [] });
  const network = simulator.model.networks.get('berthbr0');
  if (network) {
    network.config['ipv4.address'] = `10.123.${simulators}.1/24`;
    network.config['ipv6.address'] = `fd42:5e5f:${simulators}::1/64`;
  }
  const [otherUrl = ''] = simulator.otherUrls;
  return {
    simulator,
    own,
    socketPath,
    url: simulator.url,
    otherUrl,
    token: () => simulator.issueToken('berth'),
  };
}

const aclOn = ({ model }: Simulator) => model.networks.get('berthbr0')?.config['security.acls'];

const located = async (name: string) => {
  const location = await findLocationNamed(db, name);
  assert.ok(location, `there is no location ${name}`);
  return location;
};

const poolsOf = async (locationId: number) => {
  const query = db.selectFrom('address_pools').select('cidr').where('location_id', '=', locationId);
  return (await query.orderBy('cidr').execute()).map(({ cidr }) => cidr);
};

test('a token suffices to trust a server, check it and add the location', async () => {
  const { simulator, own, url, token } = await startIncus();
  const added = await run('add', 'first', '--token', token());
  assert.equal(added.code, 0, added.stderr);
  assert.match(added.stdout, /The location first has the id \d+: https:.*bridge berthbr0/);
  assert.match(added.stdout, /operating-systems\/1\/images/);
  assert.ok(simulator.model.projects.has('berth'), 'its project is created');
  const location = await located('first');
  assert.ok('urls' in location.engine);
  assert.deepEqual(location.engine.urls, [url]);
  assert.equal(fingerprintOf(location.engine.server_cert), fingerprintOf(own.cert));
  assert.deepEqual([location.max_cpu, location.network_kind], [8, 'bridge']);
  assert.deepEqual(await poolsOf(location.id), ['10.123.1.0/24', 'fd42:5e5f:1::/64']);
  const query = db.selectFrom('nodes').selectAll().where('location_id', '=', location.id);
  const [node, ...others] = await query.execute();
  assert.deepEqual([node?.name, node?.status, others.length], ['simulated', 'online', 0]);
  assert.equal(aclOn(simulator), `berth-${location.uuid}`, 'its network has rules at once');

  const identity = await loadIdentity(db, secretKey);
  const trusted = simulator.model.trust.certificates.get(fingerprintOf(identity?.clientCert ?? ''));
  assert.equal(trusted?.name, 'berth');
  const entries = await db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').execute();
  const { action, status, source, target_kind, target_id } = entries[0] ?? {};
  const entry = [action, status, source, target_kind, target_id];
  assert.deepEqual(entry, ['location_create', 201, 'command_line', 'location', location.id]);
  assert.match((await run('list')).stdout, /first +https.* berth +berth +bridge berthbr0 +0/);
});

test('the client key is stored encrypted, and the token is not stored', async () => {
  const { token } = await startIncus();
  const text = token();
  assert.equal((await run('add', 'canary', '--token', text)).code, 0);
  const installation = await db.selectFrom('installation').selectAll().executeTakeFirstOrThrow();
  const identity = await loadIdentity(db, secretKey);
  assert.match(identity?.clientKey ?? '', /BEGIN PRIVATE KEY/);
  assert.ok(!installation.client_key?.includes('PRIVATE KEY'));
  assert.equal(await loadIdentity(db, testKeyring(Buffer.alloc(32, 8))), undefined);
  const entries = JSON.stringify(await db.selectFrom('audit_log').selectAll().execute());
  assert.ok(!entries.includes(text));
});

test('a cluster is used at all members by default, or at the given ones', async () => {
  const { simulator, url, otherUrl, token } = await startIncus(['a', 'b']);
  const members = [...simulator.model.members.values()];
  for (const [at, member] of members.entries()) {
    member.address = new URL([url, otherUrl][at] ?? '').host;
  }
  const urlsOf = async (name: string) => {
    const { engine } = await located(name);
    return 'urls' in engine ? engine.urls : [];
  };
  const added = await run('add', 'cluster', '--token', token());
  assert.equal(added.code, 0, added.stderr);
  assert.deepEqual(await urlsOf('cluster'), [url, otherUrl]);
  const { id } = await located('cluster');
  const query = db.selectFrom('nodes').select(['member', 'status']).where('location_id', '=', id);
  assert.deepEqual(await query.orderBy('member').execute(), [
    { member: 'a', status: 'online' },
    { member: 'b', status: 'online' },
  ]);
  const one = await run('update', 'cluster', '--url', otherUrl);
  assert.equal(one.code, 0, one.stderr);
  assert.deepEqual(await urlsOf('cluster'), [otherUrl]);
  await simulator.setListening(otherUrl, false);
  await refused(['update', 'cluster', '--url', url, '--url', otherUrl], /does not answer/);
  const changed = await run('update', 'cluster', '--url', url);
  assert.match(changed.stderr, /has more members.*--url https/);
});

/** Asserts that a command is refused with this message, and that no location was added. */
async function refused(args: string[], words: RegExp, code = 1): Promise<void> {
  const before = await db.selectFrom('locations').select('id').execute();
  const { code: ended, stderr } = await run(...args);
  assert.match(stderr, words, args.join(' '));
  assert.equal(ended, code, stderr);
  assert.deepEqual(await db.selectFrom('locations').select('id').execute(), before);
}

test('a used, expired, restricted or invalid token is refused with what to do', async () => {
  const { simulator, url, token } = await startIncus();
  const used = token();
  simulator.model.trust.tokens.clear();
  const again = /Create (another|one).*incus config trust add/s;
  await refused(['add', 'x', '--token', used], /has been used or revoked/);
  await refused(['add', 'x', '--token', used], again);
  const expired = simulator.issueToken('berth', { expiresAt: new Date(Date.now() - 60_000) });
  await refused(['add', 'x', '--token', expired], /expired at 20/);
  await refused(
    ['add', 'x', '--token', 'bm90IG9uZQ=='],
    /not a token of Incus.*incus config trust add/s,
  );
  await refused(['add', 'x', '--url', url], /certificate of the server is not known/);
  await refused(['update', 'first', '--url', url], /not [0-9a-f]{12}….*another server answers/);
  const restricted = simulator.issueToken('berth', { restricted: true });
  await refused(['add', 'x', '--token', restricted], /without --restricted/);
});

test('a token is not sent to another server than its own', async () => {
  const { simulator, token } = await startIncus();
  const stranger = await startIncus();
  const text = token();
  await refused(
    ['add', 'x', '--token', text, '--url', stranger.url],
    /another server answers there/,
  );
  const nobody = ['--url', 'https://127.0.0.1:1'];
  await refused(
    ['add', 'x', '--token', text, ...nobody],
    /127.0.0.1:1 does not answer.*core.https/s,
  );
  assert.equal(stranger.simulator.model.trust.certificates.size, 0);
  assert.equal(simulator.model.trust.tokens.size, 1, 'the token is still valid');
});

test('missing objects of Incus are named with the command that creates them', async () => {
  const { simulator, token } = await startIncus();
  const add = async (...more: string[]) => ['add', 'x', '--token', token(), ...more];
  await refused(await add('--pool', 'none'), /no storage pool none.*incus storage create none/s);
  await refused(await add('--network', 'none'), /no network none/);
  await refused(await add('--vlan', '7'), /managed by Incus/);
  const network = simulator.model.networks.get('berthbr0');
  assert.ok(network);
  const { config } = network;
  network.config = { 'ipv4.address': 'none', 'ipv6.address': 'none' };
  await refused(await add(), /no IPv4 subnet.*incus network set berthbr0/s);
  network.config = { ...config, 'ipv4.address': '10.123.1.129/25' };
  await refused(await add(), /first already has addresses of 10.123.1.128\/25/);
  network.config = config;
  network.type = 'macvlan';
  await refused(await add(), /type macvlan/);
  network.type = 'bridge';
  assert.ok(!simulator.model.projects.has('berth'), 'nothing was created in Incus');
  const pool = simulator.model.pools.get('berth');
  assert.ok(pool);
  pool.driver = 'dir';
  const added = await run('add', 'warned', '--token', token());
  assert.equal(added.code, 0, added.stderr);
  assert.match(
    added.stderr,
    /driver dir, which does not reliably enforce the disk size of a server/,
  );
});

test('two locations can not use the same project of the same Incus', async () => {
  const { url, own, token } = await startIncus();
  assert.equal((await run('add', 'twin-a', '--token', token())).code, 0);
  const known = ['--url', url, '--fingerprint', fingerprintOf(own.cert)];
  await refused(['add', 'twin-b', ...known], /twin-a already uses the project berth of this Incus/);
});

test('a location can not be changed to the project and Incus of another one', async () => {
  const [one, another] = [await startIncus(), await startIncus()];
  for (const { simulator } of [one, another]) simulator.model.hostBridges.add('br-lan');
  const onLan = ['--network', 'br-lan'];
  assert.equal((await run('add', 'lan-a', '--token', one.token(), ...onLan)).code, 0);
  assert.equal((await run('add', 'lan-b', '--token', another.token(), ...onLan)).code, 0);
  const before = await located('lan-b');
  const words = /lan-a already uses the project berth of this Incus/;
  await refused(['update', 'lan-b', '--token', one.token()], words);
  assert.deepEqual((await located('lan-b')).engine, before.engine);
  assert.equal(
    (await run('update', 'lan-b')).code,
    0,
    'the location does not conflict with itself',
  );
});

test('servers can use a bridge of the hosts, whose addresses an administrator adds', async () => {
  const { simulator, token } = await startIncus();
  simulator.model.hostBridges.add('br-lan');
  const on = ['--network', 'br-lan', '--vlan', '42'];
  const added = await run('add', 'lan', '--token', token(), ...on);
  assert.equal(added.code, 0, added.stderr);
  assert.match(added.stderr, /does not filter addresses on network interfaces with a VLAN/);
  assert.match(added.stderr, /no rules for traffic over br-lan.*"What servers reach"/);
  assert.match(added.stdout, /POST \/v1\/address-pools/);
  const { id, network_kind, vlan } = await located('lan');
  assert.deepEqual([network_kind, vlan], ['unmanaged', 42]);
  assert.deepEqual(await poolsOf(id), []);
  const changed = await run('update', 'lan', '--network', 'berthbr0');
  assert.equal(changed.code, 0, changed.stderr);
  const { vlan: none, uuid } = await located('lan');
  assert.equal(none, null);
  assert.equal(aclOn(simulator), `berth-${uuid}`);
  assert.equal((await poolsOf(id)).length, 2);
});

test('a location whose rules can not be set is added with a warning', async () => {
  const { simulator, token } = await startIncus();
  const fault = { kind: 'error', method: 'POST', path: '/network-acls$', status: 500 } as const;
  simulator.faults.add({ ...fault, text: 'database is locked', times: 1 });
  const added = await run('add', 'late', '--token', token());
  assert.equal(added.code, 0, added.stderr);
  assert.match(added.stderr, /rules of the network berthbr0 could not be set: database is locked/);
  assert.equal((await located('late')).policy_applied, 0);
});

test('a location whose network others use is added with a note that names them', async () => {
  const { socketPath, token } = await startIncus();
  const administrator = createIncusClient({ socketPath, project: 'other' });
  after(() => administrator.close());
  const { id } = await administrator.instances.create({
    ...{ name: 'theirs', type: 'container', source: { type: 'none' }, config: {}, profiles: [] },
    devices: {
      root: { type: 'disk', path: '/', pool: 'berth' },
      eth0: { type: 'nic', name: 'eth0', network: 'berthbr0' },
    },
  });
  const { signal } = new AbortController();
  await administrator.operations.wait(id, { signal, timeoutSeconds: 60 });
  const added = await run('add', 'shared', '--token', token());
  assert.equal(added.code, 0, added.stderr);
  assert.match(
    added.stderr,
    /Note: The network berthbr0 is also used by \/1\.0\/instances\/theirs\?project=other\. Therefore all of its IPv6/,
  );
  assert.deepEqual((await located('shared')).ipv6_open_for, [
    '/1.0/instances/theirs?project=other',
  ]);
});

test('a changed certificate is accepted with its fingerprint or a new token', async () => {
  const { simulator, own, token } = await startIncus();
  assert.equal((await run('add', 'rotated', '--token', token())).code, 0);
  const renewed = selfSigned(join(directory, 'renewed'));
  const trusted = simulator.model.trust;
  await simulator.close();
  const port = Number(new URL(simulator.url).port);
  const later = await startSimulator({ listen: { ...renewed, port } });
  after(() => later.close());
  later.plant({ project: 'berth', pool: 'berth', network: 'berthbr0', imageAliases: [] });
  const bridge = later.model.networks.get('berthbr0');
  assert.ok(bridge);
  bridge.config['ipv4.address'] = '10.123.200.1/24';
  bridge.config['ipv6.address'] = 'none';
  for (const [key, value] of trusted.certificates) later.model.trust.certificates.set(key, value);
  const url = ['--url', simulator.url];
  await refused(['update', 'rotated', ...url], /its certificate was changed since|another server/);
  const fingerprint = fingerprintOf(renewed.cert);
  const updated = await run('update', 'rotated', ...url, '--fingerprint', fingerprint);
  assert.equal(updated.code, 0, updated.stderr);
  const { engine } = await located('rotated');
  assert.ok('urls' in engine && fingerprintOf(engine.server_cert) === fingerprint);
  assert.notEqual(fingerprint, fingerprintOf(own.cert));
});

test('a location without servers is removed, and its name and addresses can be used again', async () => {
  const { token } = await startIncus();
  assert.equal((await run('add', 'gone', '--token', token())).code, 0);
  const { id } = await located('gone');
  const typing = (typed: string) =>
    toolInTerminal(connectionString, tool, typed, { BERTH_DATA_DIR: directory })('remove', 'gone');
  await refused(['remove', 'gone'], /will be removed, .*Nothing was removed: .*--yes/s);
  const other = await typing('yes\n');
  assert.equal(other.code, 1, other.stdout);
  assert.match(other.stdout, /Type "remove" to continue: .*Nothing was removed/s);
  const removed = await typing('remove\n');
  assert.equal(removed.code, 0, removed.stdout);
  assert.match(removed.stdout, /incus project delete berth/);
  assert.equal(await findLocationNamed(db, 'gone'), undefined);
  assert.deepEqual(await poolsOf(id), []);
  assert.ok(!(await run('list')).stdout.includes('gone'));
  await refused(['remove', 'gone'], /No location is called gone/);
  const again = await run('add', 'gone', '--token', token());
  assert.equal(again.code, 0, again.stderr);
  assert.equal((await run('remove', 'gone', '--yes')).code, 0);
});

test('a location with servers can neither be removed nor use another network', async () => {
  const whole = await createWholeApp();
  after(whole.close);
  assert.equal((await whole.create()).statusCode, 201);
  const { headers } = await createTestToken(whole.db, { scopes: ['admin'] });
  const on = toolOn(whole.connectionString, tool, '', { BERTH_DATA_DIR: directory });
  const removed = await on('remove', 'test');
  assert.match(removed.stderr, /test has 1 server\./);
  assert.match(
    (await on('update', 'test', '--pool', 'x')).stderr,
    /test has 1 server, whose disks/,
  );
  const shown = await whole.ask('GET', `/locations/${whole.place.locationId}`, headers);
  assert.equal(shown.statusCode, 200);
});

test('a data directory without the key of the service is refused', async () => {
  const elsewhere = toolOn(connectionString, tool, '', { BERTH_DATA_DIR: join(directory, 'none') });
  const { code, stderr } = await elsewhere('remove', 'first');
  assert.deepEqual([code, /secret-key does not exist/.test(stderr)], [1, true]);
});

for (const [args, words] of [
  [['add'], /Missing required argument 'name'/],
  [['add', 'x'], /--token TOKEN, or --socket PATH/],
  [['add', '7', '--socket', '/x'], /only of digits.* since both are read as IDs/],
  [['add', '3f2504e0-4f89-41d3-9a0c-0305e82c3301', '--socket', '/x'], /form of a UUID/],
  [['add', 'Up', '--socket', '/x'], /small letters/],
  [['add', 'x', '--socket', '/x', '--url', 'https://a'], /not both/],
  [['add', 'x', '--url', 'http://10.0.0.1:8443'], /'--url <url>' .* Use https:/],
  [['add', 'x', '--fingerprint', 'abc'], /64 digits/],
  [['add', 'x', '--socket', '/x', '--vlan', '4095'], /from 1 to 4094/],
  [['update', 'first', '--project', 'y'], /Unknown option '--project'/],
  [['update', 'local', '--network', 'y'], /BERTH_LOCAL_/],
  [['rename', 'x'], /Unknown command 'rename'/],
] as const) {
  test(`"${args.join(' ')}" is refused with the correct usage`, async () => {
    await refused([...args], words, 2);
  });
}

test('an Incus of this machine is added with its socket', async () => {
  await refused(['add', 'x', '--socket', '/nowhere/socket'], /No Incus answers on \/nowhere/);
  const socketPath = join(directory, 'socket');
  const simulator = await startSimulator({ listen: { socketPath } });
  after(() => simulator.close());
  simulator.plant({ project: 'x', pool: 'berth', network: 'berthbr0', imageAliases: [] });
  const added = await run('add', 'here', '--socket', socketPath);
  assert.equal(added.code, 0, added.stderr);
  assert.deepEqual((await located('here')).engine, { socket_path: socketPath });
  const same = ['add', 'x', '--socket', socketPath];
  await refused(
    same,
    /here already uses the project berth of this Incus\.\nChange that one with update, or/,
  );
  await db.updateTable('locations').set({ name: 'local' }).where('name', '=', 'here').execute();
  await refused(
    same,
    /local already uses the project berth of this Incus\.\nUse that one, as it is, or/,
  );
});
