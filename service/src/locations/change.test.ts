import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createWholeApp } from '../testing/whole-app.ts';
import { requireLocation, upsertLocation } from './queries.ts';

const whole = await createWholeApp();
const { db, place } = whole;
after(whole.close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });
const path = `/locations/${place.locationId}`;
const change = (body: object) => whole.ask('PATCH', path, { body, ...admin });

it('changed limits apply to new servers from then on', async () => {
  assert.equal((await whole.create({ cpu: 3 })).statusCode, 201);
  const changed = await change({ limits: { cpu: { max: 2 } }, traffic_allowance: 1000 });
  assert.equal(changed.statusCode, 200);
  assert.deepEqual(changed.json().limits.cpu, { min: 1, max: 2 });
  const refused = await whole.create({ cpu: 3 });
  assert.equal(refused.json().errors[0].pointer, '/cpu');
  const created = (await whole.create({ cpu: 2 })).json();
  const query = db.selectFrom('servers').select('traffic_allowance').where('id', '=', created.id);
  assert.equal((await query.executeTakeFirstOrThrow()).traffic_allowance, 1000);
  assert.equal((await change({ traffic_allowance: null })).json().traffic_allowance, null);
});

it('null in a form is told to be sent as JSON', async () => {
  const refused = await inject(whole.app, {
    ...{ method: 'PATCH', url: `/v1${path}`, payload: 'traffic_allowance=null' },
    headers: { ...admin, 'content-type': 'application/x-www-form-urlencoded' },
  });
  const detail = 'Must be sent as JSON to be null, because forms have no null.';
  assert.deepEqual(refused.json().errors, [{ pointer: '/traffic_allowance', detail }]);
});

it('a location can allow destinations, which is entered in the audit log', async () => {
  const wanted = { allowed_destinations: ['10.20.0.0/16', 'fd00:20::/48'], smtp: 'open' };
  const { allowed_destinations, smtp, network_policy } = (await change(wanted)).json();
  assert.deepEqual({ allowed_destinations, smtp }, wanted);
  assert.equal(network_policy.status, 'pending');
  const entry = await db
    .selectFrom('audit_log')
    .select('details')
    .where('action', '=', 'location_update')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  assert.deepEqual(entry.details, wanted);
  const none = { allowed_destinations: [], smtp: 'blocked' };
  assert.deepEqual((await change(none)).json().allowed_destinations, []);
});

it('a location refuses an invalid or ambiguous network', async () => {
  const faults: [string, RegExp][] = [
    ['10.0.0.0', /such as 10/],
    ['10.0.0.0/33', /such as 10/],
    ['10.0.0.0/08', /such as 10/],
    ['10.0.0/8', /such as 10/],
    ['fd00::/129', /such as 10/],
    ['example.com/8', /such as 10/],
    ['10.0.0.1/8', /^10\.0\.0\.1\/8 is not the start of a network\. Write 10\.0\.0\.0\/8\.$/],
    ['fd00::1/48', /Write fd00::\/48\.$/],
  ];
  for (const [network, words] of faults) {
    const refused = await change({ allowed_destinations: ['10.20.0.0/16', network] });
    assert.equal(refused.statusCode, 422, network);
    const [error] = refused.json().errors;
    assert.equal(error.pointer, '/allowed_destinations/1');
    assert.match(error.detail, words);
  }
  assert.equal((await change({ smtp: 'maybe' })).json().errors[0].pointer, '/smtp');
});

it('a location is updated by a service that starts, without delaying creates', async () => {
  const { id, name } = await db.selectFrom('locations').selectAll().executeTakeFirstOrThrow();
  await db.transaction().execute(async (trx) => {
    const names = { incus_project: 'berth', storage_pool: 'berth' };
    const net = { network: 'berthbr0', network_kind: 'bridge', vlan: null } as const;
    const bounds = { max_cpu: 4, max_ram_mb: 8192, max_disk_gb: 100 };
    const engine = { socket_path: '/nowhere/unix.socket' };
    await upsertLocation(trx, {
      name,
      description: 'For tests',
      engine,
      ...names,
      ...net,
      ...bounds,
    });
    // A new server takes this lock on its location. The query fails if it has to wait.
    const refer = db.selectFrom('locations').select('id').where('id', '=', id).forKeyShare();
    assert.deepEqual(await refer.noWait().execute(), [{ id }]);
  });
});

it('a disabled location gets no new servers', async () => {
  assert.equal((await change({ enabled: false })).json().enabled, false);
  const [error] = (await whole.create()).json().errors;
  assert.equal(error.pointer, '/location_id');
  assert.match(error.detail, /takes no new servers/);
  assert.equal((await change({ enabled: true })).json().enabled, true);
  assert.equal((await whole.create()).statusCode, 201);
});

it('a minimum above the maximum is refused, and nothing changes', async () => {
  const before = (await whole.ask('GET', path)).json();
  const refused = await change({ limits: { ram: { min: 4096, max: 1024 } }, description: 'x' });
  assert.deepEqual([refused.statusCode, refused.json().errors[0].pointer], [422, '/limits/ram']);
  assert.deepEqual((await whole.ask('GET', path)).json(), before);
});

it('an administrator’s changes are kept when the service starts again', async () => {
  await change({ description: 'Ours', limits: { disk: { max: 7 } } });
  const location = await db.selectFrom('locations').selectAll().executeTakeFirstOrThrow();
  const again = { ...location, description: 'This machine', max_disk_gb: 500, network: 'other0' };
  const { name, engine, incus_project, storage_pool, max_cpu, max_ram_mb } = location;
  const kept = { name, engine, incus_project, storage_pool, max_cpu, max_ram_mb };
  const { network, description, max_disk_gb } = again;
  await db.transaction().execute(async (trx) => {
    const onBridge = { network, network_kind: 'bridge', vlan: null } as const;
    const row = await upsertLocation(trx, { ...kept, ...onBridge, description, max_disk_gb });
    assert.deepEqual([row.network, row.description, row.max_disk_gb], ['other0', 'Ours', 7]);
  });
});

it('the traffic policy must be possible', async () => {
  const bare = await change({ traffic_policy: 'throttle' });
  assert.equal(bare.json().errors[0].pointer, '/traffic_throttle');
  const policy = { traffic_policy: 'throttle', traffic_counted: 'both', traffic_throttle: 10 };
  const { traffic_policy, traffic_counted, traffic_throttle } = (await change(policy)).json();
  assert.deepEqual({ traffic_policy, traffic_counted, traffic_throttle }, policy);
  const none = await change({ traffic_throttle: null });
  assert.equal(none.json().errors[0].pointer, '/traffic_throttle');
  for (const [field, bad] of Object.entries({ traffic_counted: 'all', traffic_throttle: 0 })) {
    assert.equal((await change({ [field]: bad })).json().errors[0].pointer, `/${field}`);
  }
  assert.equal((await change({ traffic_policy: 'none' })).json().traffic_policy, 'none');
});

it('a throttle that none of its nodes can enforce is refused', async () => {
  const limit = (values: object) => db.updateTable('nodes').set(values).execute();
  const throttle = (counted: string) =>
    change({ traffic_policy: 'throttle', traffic_counted: counted, traffic_throttle: 10 });
  await limit({ limits_outgoing: false });
  for (const [counted, which] of [
    ['outgoing', 'outgoing'],
    ['both', 'incoming and outgoing'],
  ] as const) {
    const refused = await throttle(counted);
    assert.equal(refused.statusCode, 422);
    const [{ pointer, detail }] = refused.json().errors;
    assert.equal(pointer, '/traffic_policy');
    assert.match(detail, new RegExp(`No node of this location can limit ${which} traffic`));
  }
  assert.equal((await throttle('incoming')).statusCode, 200);
  // Other changes of a location that already has this policy are accepted.
  assert.equal((await change({ traffic_counted: 'outgoing' })).statusCode, 200);
  // A limit that was not tested yet may work.
  await limit({ limits_outgoing: null });
  assert.equal((await throttle('outgoing')).statusCode, 200);
  await limit({ limits_outgoing: true });
  await change({ traffic_policy: 'none' });
});

it('NICs on an OVN network can not be throttled', async () => {
  const onNetwork = (network_kind: 'ovn' | 'bridge') =>
    db.updateTable('locations').set({ network_kind }).execute();
  await onNetwork('ovn');
  const refused = await change({ traffic_policy: 'throttle', traffic_throttle: 10 });
  assert.equal(refused.json().errors[0].pointer, '/traffic_policy');
  assert.equal((await change({ traffic_policy: 'stop' })).statusCode, 200);
  await onNetwork('bridge');
});

it('a location offers the chosen operating systems, or all', async () => {
  const { osId } = place;
  assert.equal((await change({})).json().os_ids, null);
  const unknown = await change({ os_ids: [osId, 999] });
  assert.deepEqual([unknown.statusCode, unknown.json().errors[0].pointer], [422, '/os_ids/1']);
  for (const bad of [[], [osId, osId], ['plan-9'], 1, [0]]) {
    assert.equal((await change({ os_ids: bad })).statusCode, 422, JSON.stringify(bad));
  }
  const other = await db
    .selectFrom('operating_systems')
    .select('id')
    .where('id', '<>', osId)
    .executeTakeFirstOrThrow();
  assert.deepEqual((await change({ os_ids: [other.id] })).json().os_ids, [other.id]);
  const refused = await whole.create();
  assert.equal(refused.statusCode, 422);
  const [error] = refused.json().errors;
  assert.equal(error.pointer, '/os_id');
  assert.match(error.detail, new RegExp(`does not offer Debian 12. .* ids ${other.id}\\.`));
  assert.equal((await change({ description: 'Same' })).json().os_ids.length, 1);
  assert.equal((await change({ os_ids: null })).json().os_ids, null);
  assert.equal((await whole.create()).statusCode, 201);
});

it('a location names other Incus projects whose instances can be adopted', async () => {
  assert.deepEqual((await change({})).json().adopt_from, []);
  assert.deepEqual((await change({ adopt_from: ['default'] })).json().adopt_from, ['default']);
  const own = await requireLocation(db, place.locationId);
  const many = Array.from({ length: 21 }, (_, at) => `p${at}`);
  const malformed = [['a/b'], [''], ['a b'], ['a_b'], ['x'.repeat(64)], [1], ['a', 'a'], many];
  for (const bad of [...malformed, 'default', null, ['x', own.incus_project]]) {
    const refused = await change({ adopt_from: bad });
    assert.equal(refused.statusCode, 422, JSON.stringify(bad));
    assert.match(refused.json().errors[0].pointer, /^\/adopt_from/);
  }
  assert.deepEqual((await change({ enabled: true })).json().adopt_from, ['default']);
  assert.deepEqual((await change({ adopt_from: [] })).json().adopt_from, []);
});

it('a location limits the concurrent creates per node, or leaves that to the cores', async () => {
  assert.equal((await change({})).json().creates_per_node, null);
  assert.equal((await change({ creates_per_node: 8 })).json().creates_per_node, 8);
  for (const bad of [0, 1001, 1.5, '8', true, []]) {
    const refused = await change({ creates_per_node: bad });
    assert.deepEqual(
      [refused.statusCode, refused.json().errors[0].pointer],
      [422, '/creates_per_node'],
    );
  }
  assert.equal((await change({ enabled: true })).json().creates_per_node, 8);
  assert.equal((await change({ creates_per_node: null })).json().creates_per_node, null);
});
