import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { IncusClient } from '../incus/client.ts';
import type { CallOptions } from '../incus/transport/api.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { syncNodeAddresses } from './node-addresses.ts';

const { db, close } = await createTestDatabase();
after(close);
const { locationId } = await installation(db);

let stopping: AbortController;
/** The addresses on which the API listens. */
let listening: string[] | null;
/** The interfaces in the consecutive lists of Incus. The last list is repeated. */
let lists: string[][];
/** The addresses of each interface, or the other results or errors of reading it. */
let states: Record<
  string,
  { address: string; scope: string }[] | { addresses: null } | Error | null
>;
let infoError: Error | undefined;
let reports: unknown[];

beforeEach(async () => {
  stopping = new AbortController();
  listening = [];
  lists = [[]];
  states = {};
  infoError = undefined;
  reports = [];
  await db
    .updateTable('nodes')
    .set({ addresses: ['192.0.2.1'], member: 'a' })
    .execute();
});

function checkOptions(options: CallOptions, member: string | undefined): void {
  assert.deepEqual(options, { signal: stopping.signal, timeoutSeconds: 5, member });
}

/** Syncs the node of a member, or the only server, and returns its recorded addresses. */
async function recorded(name: string | null = 'a') {
  const member = name ?? undefined;
  const networks = {
    async list(options: CallOptions) {
      checkOptions(options, member);
      const names = (lists.length > 1 ? lists.shift() : lists[0]) ?? [];
      return names.map((name) => ({ name }));
    },
    async getState(name: string, of: string | undefined, options: CallOptions) {
      assert.equal(of, member);
      checkOptions(options, member);
      const state = states[name];
      if (state instanceof Error) throw state;
      return Array.isArray(state) ? { addresses: state } : state;
    },
  };
  const info = async (of: string | undefined, options: CallOptions) => {
    assert.equal(of, member);
    checkOptions(options, member);
    if (infoError) throw infoError;
    return { environment: { addresses: listening } };
  };
  const client = { server: { info }, networks } as unknown as IncusClient;
  const report = (error: unknown) => void reports.push(error);
  await syncNodeAddresses({ db, client, locationId, signal: stopping.signal, report });
  return (await db.selectFrom('nodes').select('addresses').executeTakeFirstOrThrow()).addresses;
}

const gone = new EngineError('failed', 'No such device');
const global = (address: string) => ({ address, scope: 'global' });

test('the addresses on which a host listens and those of its interfaces are recorded, each once', async () => {
  listening = ['10.0.0.9:8443', '[fd00::9]:8443', 'host:8443'];
  lists = [['eth0', 'eth1', 'eth2', 'eth3']];
  const link = { address: 'fe80::1', scope: 'link' };
  states = { eth0: [global('10.0.0.9'), global('10.0.0.1'), link], eth1: [global('fd00::1')] };
  Object.assign(states, { eth2: null, eth3: { addresses: null } });
  assert.deepEqual(await recorded(), ['10.0.0.1', '10.0.0.9', 'fd00::1', 'fd00::9']);
  assert.deepEqual(reports, []);
});

test('a server that is not a member, and listens nowhere, is called without a name', async () => {
  await db.updateTable('nodes').set({ member: null }).execute();
  listening = null;
  lists = [['eth0']];
  states = { eth0: [global('10.0.0.1')] };
  assert.deepEqual(await recorded(null), ['10.0.0.1']);
});

test('an interface that disappears while it is read has no addresses', async () => {
  lists = [['eth0', 'veth'], ['eth0']];
  states = { eth0: [global('10.0.0.1')], veth: gone };
  assert.deepEqual(await recorded(), ['10.0.0.1']);
});

test('an interface that can not be read is reported, and the known addresses are kept', async () => {
  lists = [['eth0', 'veth']];
  states = { eth0: [global('10.0.0.1')], veth: gone };
  assert.deepEqual([await recorded(), reports], [['192.0.2.1'], [gone]]);
  const away = new EngineError('unreachable', 'Away.');
  states.veth = away;
  lists = [['eth0', 'veth'], ['eth0']];
  assert.deepEqual([await recorded(), reports], [['192.0.2.1'], [gone, away]]);
});

test('nothing more is read after an abort, and an error of Berth itself is thrown', async () => {
  infoError = new TypeError('of ours');
  await assert.rejects(recorded(), /of ours/);
  infoError = gone;
  stopping.abort();
  await assert.rejects(recorded(), gone);
  infoError = undefined;
  lists = [['eth0', 'veth'], ['eth0']];
  states = { eth0: [global('10.0.0.1')], veth: gone };
  await assert.rejects(recorded(), gone);
  assert.deepEqual(reports, []);
});
