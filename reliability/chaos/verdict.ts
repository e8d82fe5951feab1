import assert from 'node:assert/strict';
import { query } from '../../e2e/database.ts';
import { hashPassword } from '../../service/src/guests/password-hash.ts';
import type { Instance } from '../../service/src/incus/instances.ts';
import { eventually } from '../../service/src/testing/until.ts';
import type { World } from './worlds.ts';

/** The access that a verdict needs: the rows, by the directory of the service, and the engine. */
export type Recorded = Pick<World, 'directory' | 'client' | 'pool'>;

const settledSeconds = 120;

/** The ids of accepted servers and operations. */
interface Accepted {
  servers: ReadonlySet<number>;
  operations: ReadonlySet<number>;
}

interface ServerRow {
  id: number;
  name: string;
  status: string;
  isInstalled: boolean;
  isDeleted: boolean;
  ips: string[];
  /** Cores, MiB and GiB. */
  cpu: number;
  ram: number;
  disk: number;
  /** Whether another size is reserved for it. */
  isResizing: boolean;
}

/**
 * Waits until no operation is in progress, and checks that nothing was lost, duplicated or left
 * incomplete. Returns how long that took, in milliseconds.
 */
export async function settle(world: Recorded, accepted: Accepted): Promise<number> {
  const began = performance.now();
  await eventually(() => check(world, accepted), settledSeconds);
  return performance.now() - began;
}

async function check(world: Recorded, accepted: Accepted): Promise<void> {
  await everyOperationEnded(world, accepted);
  const servers = await serverRows(world);
  assert.deepEqual(
    servers.map(({ id }) => id).sort((a, b) => a - b),
    [...accepted.servers].sort((a, b) => a - b),
    'the servers are those whose create was accepted',
  );
  const live = servers.filter((server) => !server.isDeleted);
  const instances = await world.client.instances.list();
  instancesAreServers(instances, live);
  addressesAreHeldOnce(servers);
  for (const instance of instances) {
    hasAddressesOf(instance, live);
    hasSizeOf(instance, live);
  }
  await volumesAreInstances(world, instances);
}

async function everyOperationEnded({ directory }: Recorded, accepted: Accepted): Promise<void> {
  interface Row extends Record<string, unknown> {
    id: number;
    status: string;
    error: unknown;
  }
  const rows = await query<Row>(
    directory,
    `select id::int, kind, status, error, step, step_since, message, attempts, last_error, wake_at,
       lease_until, server_id::int from operations`,
  );
  const open = rows.filter(({ status }) => status === 'pending' || status === 'running');
  assert.deepEqual(open, [], 'no operation is in progress');
  const known = new Set(rows.map(({ id }) => id));
  const lost = [...accepted.operations].filter((id) => !known.has(id));
  assert.deepEqual(lost, [], 'no accepted operation is lost');
  const mute = rows.filter(({ status, error }) => status === 'failed' && error === null);
  assert.deepEqual(mute, [], 'every failed operation has a reason');
}

async function serverRows({ directory }: Recorded): Promise<ServerRow[]> {
  return await query<ServerRow & object>(
    directory,
    `select id::int, 'srv-' || uuid as name, status,
       installed_at is not null as "isInstalled", deleted_at is not null as "isDeleted",
       cpu, ram_mb as ram, disk_gb as disk, resizing_cpu is not null as "isResizing",
       array(select host(ip) from addresses where server_id = servers.id) as ips
     from servers`,
  );
}

const statusOf: Record<string, string> = { Running: 'started', Stopped: 'stopped' };

function instancesAreServers(instances: Instance[], live: ServerRow[]): void {
  const byName = new Map(live.map((server) => [server.name, server]));
  for (const { name, status } of instances) {
    const server = byName.get(name);
    assert.ok(server, `the instance ${name} belongs to a server`);
    if (server.isInstalled) assert.equal(server.status, statusOf[status], `the status of ${name}`);
  }
  const there = new Set(instances.map(({ name }) => name));
  for (const { name, isInstalled, status } of live) {
    if (isInstalled) assert.ok(there.has(name), `${name} has its instance`);
    else assert.equal(status, 'error', `${name} was created, or its create failed`);
  }
}

function addressesAreHeldOnce(servers: ServerRow[]): void {
  const all = servers.flatMap(({ ips }) => ips);
  assert.equal(new Set(all).size, all.length, 'no address is used twice');
  for (const { name, ips, isDeleted } of servers) {
    assert.equal(ips.length, isDeleted ? 0 : 2, `the addresses of ${name}`);
  }
}

function hasAddressesOf({ name, devices }: Instance, live: ServerRow[]): void {
  const ours = live.find((server) => server.name === name)?.ips.toSorted();
  const theirs = [devices.eth0?.['ipv4.address'], devices.eth0?.['ipv6.address']].sort();
  assert.deepEqual(theirs, ours, `the addresses of the instance ${name}`);
}

function hasSizeOf({ name, config, devices }: Instance, live: ServerRow[]): void {
  const server = live.find((one) => one.name === name);
  assert.deepEqual(
    [config['limits.cpu'], config['limits.memory'], devices.root?.size],
    [`${server?.cpu}`, `${server?.ram}MiB`, `${server?.disk}GiB`],
    `the size of the instance ${name}`,
  );
  assert.equal(server?.isResizing, false, `no other size is reserved for ${name}`);
}

async function volumesAreInstances(
  { client, pool }: Recorded,
  instances: Instance[],
): Promise<void> {
  const volumes = await client.storage.listVolumes(pool);
  assert.deepEqual(
    volumes.flatMap(({ type, name }) => (type === 'image' ? [] : [name])).sort(),
    instances.map(({ name }) => name).sort(),
    'the volumes are those of the instances',
  );
}

/** Checks that the initial command ran exactly once in every running guest. */
export async function commandsRanOnce({ client }: Recorded): Promise<number> {
  const running = (await client.instances.list()).filter(({ status }) => status === 'Running');
  for (const { name } of running) {
    const ran = await client.files.pull(name, '/root/ran', 1000);
    assert.equal(ran?.content.toString(), 'ran\n', `the command of ${name} ran once`);
  }
  return running.length;
}

/**
 * Checks that root has the password that was set last in every guest, by a create, a rebuild or a request for it. An
 * operation that did not succeed may still have reached the guest.
 */
export async function passwordsAreSet(
  { client, directory }: Recorded,
  passwords: ReadonlyMap<number, string>,
  first: string,
): Promise<void> {
  interface Row extends Record<string, unknown> {
    name: string;
    operations: { id: number; kind: string; status: string }[];
  }
  const rows = await query<Row>(
    directory,
    `select 'srv-' || uuid as name, array(
       select jsonb_build_object('id', id, 'kind', kind, 'status', status) from operations
       where server_id = servers.id and kind in ('create', 'set_password') and status <> 'cancelled'
       order by id) as operations
     from servers where installed_at is not null and deleted_at is null`,
  );
  for (const { name, operations } of rows) {
    const last = operations.findLastIndex(({ status }) => status === 'succeeded');
    const possible = operations
      .slice(Math.max(last, 0))
      .map(({ id, kind }) => (kind === 'create' ? first : (passwords.get(id) ?? '')));
    const shadow = await client.files.pull(name, '/etc/shadow', 100_000);
    const [, hash = ''] = /^root:([^:]*):/m.exec(shadow?.content.toString() ?? '') ?? [];
    const [, , salt = ''] = hash.split('$');
    const hashes = await Promise.all(possible.map((password) => hashPassword(password, salt)));
    assert.ok(hashes.includes(hash), `${name} has the password that was set last`);
  }
}

/** Checks that every guest has the name of its server, unless a rename of it failed. */
export async function guestsAreCalledSo({ directory, client }: Recorded): Promise<void> {
  const rows = await query<{ name: string; wanted: string }>(
    directory,
    `select 'srv-' || uuid as name, split_part(hostname, '.', 1) as wanted
     from servers
     where deleted_at is null and installed_at is not null and not exists (
       select from operations
       where server_id = servers.id and kind = 'rename' and status <> 'succeeded')`,
  );
  for (const { name, wanted } of rows) {
    const file = await client.files.pull(name, '/etc/hostname', 1000);
    assert.equal(file?.content.toString(), `${wanted}\n`, `the guest ${name} has its name`);
  }
}

/** The number of operations by result. Very few can fail, because operations continue after a kill. */
export async function outcomes({ directory }: Recorded): Promise<Record<string, number>> {
  const sql = `select status, error ->> 'message' as reason, count(*)::int as count
    from operations group by 1, 2 order by 1`;
  const rows = await query<{ status: string; reason: string; count: number }>(directory, sql);
  const counts: Record<string, number> = {};
  for (const { status, count } of rows) counts[status] = (counts[status] ?? 0) + count;
  const { succeeded = 0, failed = 0 } = counts;
  const reasons = rows.filter(({ status }) => status === 'failed');
  assert.ok(
    failed * 100 <= succeeded,
    `at most one operation in a hundred failed: ${JSON.stringify(reasons)}`,
  );
  return counts;
}
