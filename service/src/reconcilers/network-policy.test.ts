import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { type Simulator, startSimulator } from '../../../incus-sim/src/simulator.ts';
import { createIncusClient, type IncusClient } from '../incus/client.ts';
import type { NetworkAcl } from '../incus/network-acls.ts';
import type { Network } from '../incus/networks.ts';
import type { CallOptions } from '../incus/transport/api.ts';
import { EngineError, isEngineError } from '../incus/transport/errors.ts';
import { subnetsOf } from '../locations/network.ts';
import { findLocation } from '../locations/queries.ts';
import { networkPolicyView } from '../locations/view.ts';
import { installationFigures } from '../metrics/queries.ts';
import type { FindApi } from '../network-policy/api-addresses.ts';
import { familyOf, rangeOf, textOf } from '../network-policy/ranges.ts';
import { recordServiceAddresses } from '../network-policy/service-addresses.ts';
import { type Installation, installation } from '../testing/fixtures.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { reconcileNetworkPolicy } from './network-policy.ts';
import { syncNodes } from './nodes.ts';

const network = 'berthbr0';
const signal = new AbortController().signal;

let database: TestDatabase;
let place: Installation;
let simulator: Simulator;
let client: IncusClient;
let directory: string;

before(async () => {
  database = await createTestDatabase();
  place = await installation(database.db);
  directory = mkdtempSync(join(tmpdir(), 'network-policy-'));
});

beforeEach(async () => {
  await stop();
  const socketPath = join(directory, 'socket');
  simulator = await startSimulator({ listen: { socketPath }, members: ['a', 'b'] });
  simulator.plant({ project: 'berth', pool: 'berth', network, imageAliases: [] });
  client = createIncusClient({ socketPath, project: 'berth' });
  await sql`update locations set uuid = gen_random_uuid(), network_kind = 'bridge', smtp = 'blocked',
    allowed_destinations = '{}', policy_applied = 0, policy_reason = null`.execute(database.db);
  await sql`update nodes set addresses = null`.execute(database.db);
  await look();
});

async function stop() {
  await client?.close();
  await simulator?.close();
}

after(async () => {
  await stop();
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

type Rules = (rules: NetworkAcl['egress']) => NetworkAcl['egress'];

interface Shown {
  /** The changes to the network. */
  value?: Partial<Network>;
  /** The changes to the rules of each direction. */
  rules?: Rules;
}

const reported: unknown[] = [];
const subject = () => {
  const report = (error: unknown) => void reported.push(error);
  return { db: database.db, client, locationId: place.locationId, signal, report };
};
const protectedAddresses: string[] = [];
const look = async () => void (await syncNodes({ ...subject(), pool: 'berth' }));
const keep = (api: { ip: string; port: number }[] = []) =>
  reconcileNetworkPolicy({ ...subject(), findApi: async () => api, protectedAddresses });

async function policy() {
  const row = await findLocation(database.db, place.locationId);
  assert.ok(row);
  return networkPolicyView(row);
}

async function aclName(): Promise<string> {
  const row = await findLocation(database.db, place.locationId);
  return `berth-${row?.uuid}`;
}

async function acl() {
  const found = await client.networkAcls.get(await aclName());
  assert.ok(found);
  return found;
}

const setting = async (key: string) => (await client.networks.get(network))?.config[key];
const set = (values: object) => database.db.updateTable('locations').set(values).execute();

const interfaceWith = (address: string) => ({
  ...{ address, netmask: '', mac: '', internal: false, cidr: null },
  ...(address.includes(':')
    ? { family: 'IPv6' as const, scopeid: 0 }
    : { family: 'IPv4' as const }),
});

/** Inserts a location whose node has these addresses. Returns its id. */
async function anotherLocation(addresses: string): Promise<number> {
  const { db } = database;
  const {
    id: _,
    uuid: __,
    ...row
  } = await db
    .selectFrom('locations')
    .selectAll()
    .where('id', '=', place.locationId)
    .executeTakeFirstOrThrow();
  const values = { ...row, name: 'elsewhere', engine: JSON.stringify(row.engine) };
  const { id } = await db
    .insertInto('locations')
    .values(values)
    .returning('id')
    .executeTakeFirstOrThrow();
  await sql`insert into nodes (location_id, name, status, cpu, ram_mb, addresses)
    values (${id}, 'there', 'online', 1, 1, ${addresses}::inet[])`.execute(db);
  return id;
}

/** Filters the addresses to which traffic from a server is refused. */
async function closedOf(ips: string[]): Promise<string[]> {
  const { egress } = (await acl()).value;
  const open = ([4, 6] as const).flatMap((family) => {
    const allows = egress.filter(({ action }) => action === 'allow');
    return allows
      .flatMap(({ destination = '' }) => destination.split(','))
      .filter((part) => familyOf(part) === family)
      .map((part) => {
        const [first = '', last = first] = part.split('-');
        return { from: rangeOf(first).from, to: rangeOf(last).to, family };
      });
  });
  return ips.filter((ip) => {
    const { from } = rangeOf(ip);
    return !open.some((one) => one.family === familyOf(ip) && one.from <= from && from <= one.to);
  });
}

describe('the rules of a location’s network', () => {
  it('are created and attached once, and not changed while nothing else changes', async () => {
    assert.equal((await policy()).status, 'pending');
    await keep();
    assert.equal((await policy()).status, 'applied');
    assert.equal(await setting('security.acls'), await aclName());
    assert.equal(await setting('security.acls.default.ingress.action'), 'drop');
    assert.equal(await setting('security.acls.default.egress.action'), 'drop');
    simulator.faults.add({ kind: 'error', method: 'PUT', path: '.', text: 'never', status: 500 });
    simulator.faults.add({ kind: 'error', method: 'PATCH', path: '.', text: 'never', status: 500 });
    await keep();
    assert.equal((await policy()).status, 'applied');
  });

  it('close the addresses of every node', async () => {
    await keep();
    const rows = await database.db
      .selectFrom('nodes')
      .selectAll()
      .where('gone', '=', false)
      .execute();
    const own = await client.networks.get(network);
    const bridge = ['ipv4.address', 'ipv6.address'].map((key) => own?.config[key]?.split('/')[0]);
    for (const { name, addresses } of rows) {
      const eth0 = `10.255.0.${name === 'a' ? 1 : 2}`;
      assert.deepEqual(new Set(addresses), new Set([eth0, ...bridge]), name);
    }
    // Public addresses would otherwise be open.
    await sql`update nodes set addresses = '{8.8.4.4}' where name = 'b'`.execute(database.db);
    simulator.takeMemberDown('b', true);
    await look();
    simulator.takeMemberDown('b', false);
    await keep();
    const allowed = (await acl()).value.egress.find(({ action }) => action === 'allow');
    assert.match(allowed?.destination ?? '', /-8\.8\.4\.3,8\.8\.4\.5-/);
    await look();
  });

  it('close nodes of other locations, services, and addresses that the administrator protects', async () => {
    await recordServiceAddresses(database.db, {
      eth0: [interfaceWith('8.8.4.5'), interfaceWith('10.5.0.5'), interfaceWith('2600::5')],
      lo: [{ ...interfaceWith('8.8.4.200'), internal: true }],
    });
    const other = await anotherLocation('{8.8.4.6, 10.6.0.6}');
    protectedAddresses.push('8.8.4.8/32');
    try {
      await keep();
      const closed = () => closedOf(['8.8.4.5', '2600::5', '8.8.4.6', '8.8.4.8']);
      assert.deepEqual(await closed(), ['8.8.4.5', '2600::5', '8.8.4.6', '8.8.4.8']);
      assert.deepEqual(await closedOf(['8.8.4.7', '8.8.4.200']), []);
      // A service that has been unreachable for a short time may soon be back, but one that has been for a day is gone.
      const db = database.db;
      await sql`update service_addresses set seen_at = now() - interval '25 hours'`.execute(db);
      await sql`update locations set removed_at = now() where id = ${other}`.execute(db);
      await keep();
      assert.deepEqual(await closed(), ['8.8.4.8']);
      await recordServiceAddresses(db, {});
      const left = await db.selectFrom('service_addresses').selectAll().execute();
      assert.deepEqual(left, []);
    } finally {
      protectedAddresses.pop();
    }
  });

  it('keep the known addresses of a node if one of its interfaces can not be read', async () => {
    await keep();
    await sql`update nodes set addresses = '{8.8.4.4}', addresses_read_at = 'epoch'
      where name = 'b'`.execute(database.db);
    const path = '/networks/eth0/state$';
    simulator.faults.add({ kind: 'error', path, target: 'b', text: 'No such device', status: 500 });
    await keep();
    const [a, b] = await database.db
      .selectFrom('nodes')
      .selectAll()
      .where('gone', '=', false)
      .orderBy('name')
      .execute();
    assert.deepEqual(b?.addresses, ['8.8.4.4']);
    assert.equal(
      Date.parse(b?.addresses_read_at ?? ''),
      0,
      'the time of the reading is not updated either',
    );
    assert.ok(Date.parse(a?.addresses_read_at ?? '') > 0);
    const allowed = (await acl()).value.egress.find(({ action }) => action === 'allow');
    assert.match(allowed?.destination ?? '', /-8\.8\.4\.3,8\.8\.4\.5-/);
  });

  it('ignore an interface that disappears while it is read', async () => {
    await client.networks.create({ name: 'guests0', type: 'bridge', description: '', config: {} });
    const about = { path: '/networks/guests0/state$', target: 'b', times: 1 };
    const goOn = simulator.faults.add({ kind: 'delay', ...about, ms: 600_000 });
    simulator.faults.add({ kind: 'error', ...about, text: 'No such device', status: 500 });
    const keeping = keep();
    await until(
      'the interface is read',
      async () => simulator.faults.delayed(),
      (delayed) => delayed > 0,
    );
    await client.networks.delete('guests0');
    goOn();
    await keeping;
    assert.equal((await policy()).reason, null);
  });

  it('are corrected if somebody changed them, or the network, by hand', async () => {
    await keep();
    const first = await acl();
    await client.networkAcls.replace(first.value, { egress: [], ingress: [] }, first.etag);
    const config = { 'security.acls': '', 'security.acls.default.egress.action': 'allow' };
    const found = await client.networks.getTagged(network);
    await client.networks.configure(network, config, found?.etag ?? '');
    await keep();
    assert.deepEqual((await acl()).value.egress, first.value.egress);
    assert.equal(await setting('security.acls'), await aclName());
    assert.equal(await setting('security.acls.default.egress.action'), 'drop');
  });

  it('do not change the ACLs of others on the same network', async () => {
    const theirs = { name: 'theirs', description: '', egress: [], ingress: [] };
    await client.networkAcls.create(theirs);
    const found = await client.networks.getTagged(network);
    await client.networks.configure(network, { 'security.acls': 'theirs' }, found?.etag ?? '');
    await keep();
    assert.equal(await setting('security.acls'), `theirs,${await aclName()}`);
    await keep();
    assert.equal(await setting('security.acls'), `theirs,${await aclName()}`);
  });

  it('replace the ACL of a location that used the network before', async () => {
    await keep();
    const former = await aclName();
    await set({ uuid: crypto.randomUUID() });
    await keep();
    assert.notEqual(await aclName(), former);
    assert.equal(await setting('security.acls'), await aclName());
  });

  it('are reported as pending until they are applied, with what they allow', async () => {
    await keep();
    const before = await policy();
    await set({ allowed_destinations: ['10.20.0.0/16'], smtp: 'open' });
    const pending = await policy();
    assert.equal(pending.status, 'pending');
    assert.ok(pending.since > before.since);
    await keep();
    assert.equal((await policy()).status, 'applied');
    const { egress } = (await acl()).value;
    assert.ok(egress.some(({ destination }) => destination?.includes('10.20.0.0-10.20.255.255')));
    assert.ok(egress.every(({ destination_port }) => destination_port === undefined));
  });

  it('are not reported as applied if the policy was changed in the meantime', async () => {
    const findApi = async () => {
      await set({ smtp: 'open' });
      return [];
    };
    await reconcileNetworkPolicy({ ...subject(), findApi, protectedAddresses });
    assert.equal((await policy()).status, 'pending');
    await keep();
    assert.equal((await policy()).status, 'applied');
  });

  it('let servers reach the API at a public address of a node', async () => {
    await sql`update nodes set addresses = '{8.8.4.4}' where name = 'b'`.execute(database.db);
    simulator.takeMemberDown('b', true);
    await look();
    simulator.takeMemberDown('b', false);
    await keep([{ ip: '8.8.4.4', port: 443 }]);
    const { egress } = (await acl()).value;
    const rule = egress.find(({ destination }) => destination === '8.8.4.4');
    assert.deepEqual(
      [rule?.action, rule?.protocol, rule?.destination_port],
      ['allow', 'tcp', '443'],
    );
    await look();
  });

  it('report the users for whom all IPv6 addresses are open, also in the metrics', async () => {
    const figure = async () => {
      const figures = await installationFigures(database.db);
      return figures.find(({ name }) => name === 'location_ipv6_neighbours_bounded')?.value;
    };
    const entered = async () => {
      const { ingress } = (await acl()).value;
      return ingress.map(({ destination = '' }) => destination).find((one) => one.includes(':'));
    };
    assert.deepEqual(await keep(), []);
    assert.equal(await figure(), 1);
    const bounded = await entered();
    simulator.plant({ project: 'others', pool: 'berth', network, imageAliases: [] });
    const socketPath = join(directory, 'socket');
    const others = createIncusClient({ socketPath, project: 'others' });
    try {
      const { id } = await others.instances.create({
        ...{
          name: 'theirs',
          type: 'container',
          source: { type: 'none' },
          config: {},
          profiles: [],
        },
        devices: {
          root: { type: 'disk', path: '/', pool: 'berth' },
          eth0: { type: 'nic', name: 'eth0', network },
        },
      });
      await others.operations.wait(id, { signal, timeoutSeconds: 60 });
      const url = '/1.0/instances/theirs?project=others';
      assert.deepEqual(await keep(), [url]);
      assert.equal(await figure(), 0);
      assert.notEqual(await entered(), bounded);
      const own = await client.networks.get(network);
      const subnet = (own ? subnetsOf(own) : []).find(({ cidr }) => familyOf(cidr) === 6);
      assert.equal(await entered(), textOf(rangeOf(subnet?.cidr ?? ''), 6));
      const row = await findLocation(database.db, place.locationId);
      assert.deepEqual(row?.ipv6_open_for, [url]);
      const gone = await others.instances.delete('theirs');
      await others.operations.wait(gone.id, { signal, timeoutSeconds: 60 });
    } finally {
      await others.close();
    }
    assert.deepEqual(await keep(), []);
    assert.equal(await figure(), 1);
    assert.equal(await entered(), bounded);
  });

  it('are pending while a member is unreachable, which is named, and are set once it is back', async () => {
    await keep();
    await set({ smtp: 'open' });
    simulator.takeMemberDown('b', true);
    await look();
    await assert.rejects(keep(), (error) => isEngineError(error, 'unreachable'));
    const { status, reason } = await policy();
    assert.equal(status, 'pending');
    assert.match(reason ?? '', /once all nodes answer. These do not: b/);
    simulator.takeMemberDown('b', false);
    await look();
    await keep();
    assert.deepEqual([(await policy()).status, (await policy()).reason], ['applied', null]);
  });

  it('are pending if the engine fails or does not answer, for a reason without its words', async () => {
    const reasonOf = async (path: string, status: number) => {
      const end = simulator.faults.add({ kind: 'error', path, text: 'Of the engine', status });
      await assert.rejects(keep(), EngineError);
      end();
      return (await policy()).reason;
    };
    const failed = 'The engine could not set the rules. The log of the service says why.';
    assert.equal(await reasonOf('/network-acls/', 500), failed);
    assert.equal(await reasonOf(`/networks/${network}$`, 404), failed);
    const silent = 'The engine does not answer.';
    assert.equal(await reasonOf('/network-acls/', 503), silent);
    assert.equal(await reasonOf('/network-acls/', 504), silent);
  });

  it('get no reason after an abort, or an error of Berth itself', async () => {
    const stopping = new AbortController();
    const reconcile = (findApi: FindApi) =>
      reconcileNetworkPolicy({
        ...subject(),
        signal: stopping.signal,
        findApi,
        protectedAddresses,
      });
    await assert.rejects(
      reconcile(() => Promise.reject(new TypeError('of ours'))),
      /of ours/,
    );
    const stops = async () => {
      stopping.abort();
      throw new EngineError('unreachable', 'Away.');
    };
    await assert.rejects(reconcile(stops), /Away/);
    const row = await findLocation(database.db, place.locationId);
    assert.equal(row?.policy_reason, null);
  });

  /** Reconciles with a network and an ACL that are shown with these changes. Returns what was changed. */
  async function keepShown({ value = {}, rules = (of) => of }: Shown) {
    const { networks, networkAcls } = client;
    const changes: unknown[] = [];
    const shown = {
      ...client,
      networks: {
        ...networks,
        async getTagged(name, options) {
          const found = await networks.getTagged(name, options);
          if (!found) return found;
          const config = { ...found.value.config, ...value.config };
          return { ...found, value: { ...found.value, ...value, config } };
        },
        configure: async (_, config) => void changes.push(config['security.acls']),
      },
      networkAcls: {
        ...networkAcls,
        async get(name, options) {
          const found = await networkAcls.get(name, options);
          if (!found) return found;
          const { egress, ingress } = found.value;
          return {
            ...found,
            value: { ...found.value, egress: rules(egress), ingress: rules(ingress) },
          };
        },
        replace: async (acl, rules, etag, options) => {
          changes.push(rules.ingress.length);
          await networkAcls.replace(acl, rules, etag, options);
        },
      },
    } satisfies IncusClient;
    const about = { ...subject(), client: shown, findApi: async () => [], protectedAddresses };
    return { others: await reconcileNetworkPolicy(about), changes };
  }

  it('are attached beside the ACLs of others, unless they are attached already', async () => {
    await keep();
    const own = await aclName();
    const attached = async (acls: string) =>
      (await keepShown({ value: { config: { 'security.acls': acls } } })).changes;
    assert.deepEqual(await attached(' theirs , more'), [`theirs,more,${own}`]);
    assert.deepEqual(await attached(`${own},theirs`), []);
  });

  it('are equal in any order, and corrected if one is disabled or has something more', async () => {
    await keep();
    const value = { used_by: ['/1.0/instances/theirs?project=others'] };
    assert.deepEqual((await keepShown({ value })).changes, [2]);
    const changed = async (rules: Rules) => (await keepShown({ value, rules })).changes;
    assert.deepEqual(await changed((of) => of.toReversed()), []);
    const disabled = { state: 'disabled' } as const;
    assert.deepEqual(await changed((of) => of.map((rule) => ({ ...rule, ...disabled }))), [2]);
    const source = { source: '10.0.0.1' };
    assert.deepEqual(await changed((of) => of.map((rule) => ({ ...rule, ...source }))), [2]);
  });

  it('open no IPv6 address to others on a network that has none', async () => {
    const used_by = ['/1.0/instances/theirs?project=others'];
    const config = { 'ipv6.address': 'none' };
    assert.deepEqual((await keepShown({ value: { used_by } })).others, used_by);
    assert.deepEqual((await keepShown({ value: { used_by, config } })).others, []);
  });

  it('are pending while the addresses of a node are unknown', async () => {
    simulator.takeMemberDown('b', true);
    await look();
    simulator.takeMemberDown('b', false);
    await keep();
    assert.match((await policy()).reason ?? '', /addresses are not known yet: b/);
    await look();
    await keep();
    assert.equal((await policy()).reason, null);
  });

  it('are those of the last change if two services set them concurrently', async () => {
    await keep();
    await set({ smtp: 'open' });
    const both = await Promise.allSettled([keep(), keep()]);
    for (const one of both) {
      if (one.status === 'rejected')
        assert.ok(isEngineError(one.reason, 'busy'), String(one.reason));
    }
    await keep();
    assert.equal((await policy()).status, 'applied');
    assert.ok((await acl()).value.egress.every((rule) => rule.destination_port === undefined));
  });

  it('are read and set by calls that end with the watch, and changes have a longer timeout', async () => {
    const calls: unknown[][] = [];
    const { networks, networkAcls } = client;
    const note = (call: string, options: CallOptions = {}) => {
      calls.push([call, options.signal === signal, options.timeoutSeconds]);
      return options;
    };
    const noted = {
      ...client,
      networks: {
        ...networks,
        getTagged: (name, options) => networks.getTagged(name, note('get', options)),
        configure: (name, config, etag, options) =>
          networks.configure(name, config, etag, note('configure', options)),
      },
      networkAcls: {
        ...networkAcls,
        get: (name, options) => networkAcls.get(name, note('get rules', options)),
        create: (wanted, options) => networkAcls.create(wanted, note('create', options)),
        replace: (found, rules, etag, options) =>
          networkAcls.replace(found, rules, etag, note('replace', options)),
      },
    } satisfies IncusClient;
    const about = { ...subject(), client: noted, findApi: async () => [], protectedAddresses };
    await reconcileNetworkPolicy(about);
    await set({ smtp: 'open' });
    await reconcileNetworkPolicy(about);
    assert.deepEqual(calls, [
      ['get', true, undefined],
      ['get rules', true, undefined],
      ['create', true, 60],
      ['configure', true, 60],
      ['get', true, undefined],
      ['get rules', true, undefined],
      ['replace', true, 60],
    ]);
  });

  it('are not set if there is no such location', async () => {
    const nowhere = { ...subject(), locationId: 0, protectedAddresses };
    assert.deepEqual(await reconcileNetworkPolicy({ ...nowhere, findApi: async () => [] }), []);
  });

  it('are not set on another kind of network', async () => {
    await set({ network_kind: 'unmanaged' });
    await keep();
    assert.equal(await client.networkAcls.get(await aclName()), null);
    assert.equal((await policy()).status, 'unavailable');
  });
});
