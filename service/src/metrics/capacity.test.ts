import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { exportDatabase } from '../db/export/export.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { createMetrics } from './metrics.ts';

const { db, pool, connectionString, close } = await createTestDatabase();
after(close);
const directory = mkdtempSync(join(tmpdir(), 'berth-capacity-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const place = await installation(db);

function metricsOf(dataDir?: string) {
  const options = { ofServers: false, ...(dataDir && { dataDir }) };
  return createMetrics({ db, pools: { requests: pool } }, options);
}

/** Values of one metric by their labels, as a scrape shows them. */
async function valuesOf(name: string, metrics = metricsOf()): Promise<Record<string, number>> {
  const text = await metrics.text('text');
  const lines = text.matchAll(/^(\w+?)(?:\{(.*)\})? (\S+)$/gm);
  const found = [...lines].filter(([, metric]) => metric === name);
  return Object.fromEntries(found.map(([, , labels = '', value]) => [labels, Number(value)]));
}

test('the resources of a node are exported once they are known', async () => {
  const labels = 'node="node-1",location="test"';
  await db
    .updateTable('nodes')
    .set({ ram_mb: 4096, ram_used_mb: 1024, disk_gb: 100, disk_used_gb: 12.5 })
    .execute();
  await enterServer(db, place);
  const { disk_gb: disk } = await db
    .selectFrom('servers')
    .select('disk_gb')
    .executeTakeFirstOrThrow();
  const gigabyte = 1024 ** 3;
  assert.deepEqual(await valuesOf('berth_node_memory_used_bytes'), { [labels]: gigabyte });
  assert.deepEqual(await valuesOf('berth_node_disk_bytes'), { [labels]: 100 * gigabyte });
  assert.deepEqual(await valuesOf('berth_node_disk_used_bytes'), { [labels]: 12.5 * gigabyte });
  assert.deepEqual(await valuesOf('berth_node_disk_given_bytes'), { [labels]: disk * gigabyte });
  await db.updateTable('nodes').set({ disk_gb: 0 }).execute();
  assert.deepEqual(await valuesOf('berth_node_disk_bytes'), {});
});

test('each enabled address pool exports its size and its addresses in use', async () => {
  await db.deleteFrom('addresses').execute();
  await db.deleteFrom('address_pools').execute();
  const { rows } = await sql<{ id: number }>`
    insert into address_pools (location_id, cidr, gateway, nameservers, first, last, enabled)
    select ${place.locationId}, cidr::cidr, gateway::inet, '{}', first::inet, last::inet, enabled
    from (values
      ('192.0.2.0/24', '192.0.2.1', '192.0.2.2', '192.0.2.254', true),
      ('198.51.100.0/28', '198.51.100.5', '198.51.100.0', '198.51.100.15', true),
      ('203.0.113.0/24', '203.0.113.1', '203.0.113.2', '203.0.113.9', false),
      ('2001:db8:1::/64', '2001:db8:1::1', '2001:db8:1::1', '2001:db8:1:0:ffff:ffff:ffff:ffff', true),
      ('2001:db8:2::/64', '2001:db8:2::1', '2001:db8:2::2', '2001:db8:2::11', true)
    ) as pool (cidr, gateway, first, last, enabled)
    returning id`.execute(db);
  const server = await db.selectFrom('servers').select('id').executeTakeFirstOrThrow();
  await db
    .insertInto('addresses')
    .values({
      ...{ ip: '192.0.2.7', pool_id: rows[0]?.id ?? 0 },
      ...{ server_id: server.id, is_primary: true },
    })
    .execute();
  const of = (pool: string) =>
    `pool="${pool}",family="${pool.includes(':') ? 'ipv6' : 'ipv4'}",location="test"`;
  assert.deepEqual(await valuesOf('berth_address_pool_addresses'), {
    [of('192.0.2.0/24')]: 253,
    [of('198.51.100.0/28')]: 13,
    [of('2001:db8:1::/64')]: 2 ** 64,
    [of('2001:db8:2::/64')]: 16,
  });
  const held = Object.entries(await valuesOf('berth_address_pool_addresses_held'));
  assert.deepEqual(
    held.filter(([, value]) => value !== 0),
    [[of('192.0.2.0/24'), 1]],
  );
  assert.equal(held.length, 4);
  // This happens after a restore. One address also belongs to a server, and one is outside of the range.
  await sql`
    with instance as (
      insert into unknown_instances (location_id, name, is_ours)
      select location_id, 'strange', true from address_pools limit 1 returning id
    )
    insert into reserved_addresses (ip, pool_id, instance_id)
    select ip, ${rows[0]?.id ?? 0}, id
    from instance, unnest('{192.0.2.7,192.0.2.8,192.0.2.9,192.0.2.255}'::inet[]) ip`.execute(db);
  const later = await valuesOf('berth_address_pool_addresses_held');
  assert.equal(later[of('192.0.2.0/24')], 3, 'those of unknown instances are in use as well');
});

test('the time of the last successful database export is exported', async () => {
  const name = 'berth_database_export_timestamp_seconds';
  assert.deepEqual(await valuesOf(name), { '': 0 });
  const quiet = { of: () => () => undefined };
  await assert.rejects(exportDatabase(connectionString, join(directory, 'no/such/file'), quiet));
  assert.deepEqual(await valuesOf(name), { '': 0 });
  const { at } = await exportDatabase(connectionString, join(directory, 'whole.gz'), quiet);
  const [seconds = 0] = Object.values(await valuesOf(name));
  assert.ok(Math.abs(seconds - Date.parse(at) / 1000) < 0.01, `${seconds} ${at}`);
});

test('a database of an earlier version, which cannot record the time, can be exported', async () => {
  await pool.query('alter table installation rename exported_at to exported_at_gone');
  try {
    const path = join(directory, 'earlier.gz');
    await exportDatabase(connectionString, path, { of: () => () => undefined });
    assert.ok(readFileSync(path).length > 0);
  } finally {
    await pool.query('alter table installation rename exported_at_gone to exported_at');
  }
});

test('the sizes of the database and the data directory are exported', async () => {
  const [size = 0] = Object.values(await valuesOf('berth_database_size_bytes'));
  assert.ok(size > 1_000_000);
  assert.deepEqual(await valuesOf('berth_data_directory_size_bytes'), {});
  const ofDirectory = async (name: string) =>
    Object.values(await valuesOf(`berth_data_directory_${name}_bytes`, metricsOf(directory)))[0] ??
    0;
  const [room, free] = [await ofDirectory('size'), await ofDirectory('available')];
  assert.ok(free > 0 && free <= room, `${free} of ${room}`);
});

/** A certificate for so many days, in PEM. */
function certificate(days: number): string {
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const files = ['-nodes', '-keyout', key, '-out', cert, '-subj', '/CN=test'];
  execFileSync('openssl', [...args, ...files, '-days', String(days)], { stdio: 'ignore' });
  return readFileSync(cert, 'utf8');
}

test('the expiry of certificates is exported, for a chain the earliest one', async () => {
  const [short, long] = [certificate(10), certificate(1000)];
  const endOf = (pem: string) => new X509Certificate(pem).validToDate.getTime() / 1000;
  const metrics = metricsOf();
  const ofTls = 'berth_tls_certificate_expiry_timestamp_seconds';
  assert.deepEqual(await valuesOf(ofTls, metrics), {});
  metrics.presents(() => `${long}${short}`);
  assert.deepEqual(await valuesOf(ofTls, metrics), { '': endOf(short) });
  const ofEngines = 'berth_engine_certificate_expiry_timestamp_seconds';
  assert.deepEqual(await valuesOf(ofEngines), {});
  await db
    .updateTable('installation')
    .set({ client_certificate: long, client_key: Buffer.from('sealed') })
    .execute();
  const engine = JSON.stringify({ urls: ['https://192.0.2.1:8443'], server_cert: short });
  await db.updateTable('locations').set({ engine }).execute();
  assert.deepEqual(await valuesOf(ofEngines), {
    'certificate="client",location=""': endOf(long),
    'certificate="server",location="test"': endOf(short),
  });
});
