import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ServerResize } from '@berth/contract/servers';
import { addVolume, findVolume, removeVolume } from '../incus-sim/src/model.ts';
import type { Queryable } from '../service/src/db/connection.ts';
import { Project } from '../service/src/db/project.ts';
import { adoptInstance } from '../service/src/drift/adopt.ts';
import type { IncusClient } from '../service/src/incus/client.ts';
import type { Instance, NewInstance } from '../service/src/incus/instances.ts';
import { EngineError } from '../service/src/incus/transport/errors.ts';
import { instanceName } from '../service/src/instances/labels.ts';
import { operationKinds } from '../service/src/operation-kinds.ts';
import { firstStep, type OperationKind } from '../service/src/operations/define.ts';
import { insertOperation } from '../service/src/operations/queries.ts';
import { actions } from '../service/src/servers/actions/all.ts';
import { enterAction } from '../service/src/servers/actions/enter.ts';
import { resizeAction } from '../service/src/servers/actions/resize.ts';
import type { AnyServerAction } from '../service/src/servers/actions/rules/define.ts';
import type { ServerStepContext } from '../service/src/servers/define-operation.ts';
import { createOperation } from '../service/src/servers/operations/create.ts';
import { repairOperation } from '../service/src/servers/operations/repair.ts';
import { setResizing } from '../service/src/servers/queries.ts';
import { enterDriftIn } from '../service/src/testing/drift.ts';
import { newPublicKey } from '../service/src/testing/ssh-keys.ts';
import { eventually } from '../service/src/testing/until.ts';
import {
  type Laboratory,
  newPassword,
  openLaboratory,
  type PlainAction,
  project,
} from './laboratory.ts';
import { hasPassword, hasWholeShadow, nothingIsLeft } from './servers.ts';
import { meetings, type Plan, stays, type Trouble, troublesOf } from './troubles.ts';

// Tests each step of each operation on a server with each fault. New kinds and steps are covered automatically.
// every-step-of-nodes.test.ts tests those on nodes.

const { troubles, fatal } = troublesOf(() => laboratory);
const ofServers = operationKinds.filter(({ subject }) => subject === 'server');

/** The error code of the request to cancel an operation; undefined if it was cancelled. By its id. */
const refusals = new Map<number, string | undefined>();

/** A client cancels an operation while a worker is at the step. */
const cancels: Record<string, Trouble> = {
  'is cancelled before its effect': async (run, { operation }, times) => {
    if (times === 1) await cancel(operation.id);
    return await run();
  },
  'is cancelled after its effect': async (run, { operation }, times) => {
    const result = await run();
    if (times === 1) await cancel(operation.id);
    return result;
  },
};

async function cancel(id: number): Promise<void> {
  refusals.set(id, (await laboratory.post(`/operations/${id}/cancel`)).json().code);
}

const met = meetings(ofServers, Object.keys({ ...troubles, ...fatal, ...cancels }));

/** By the name of a server and the kind of operation. */
const plans = new Map<string, Plan>();

/** By the same key: the step that fails permanently, so that the operation runs its recovery. */
const failing = new Map<string, string>();
const wentWrong = 'It failed before.';

/** The names of servers whose image requires cloud-init. */
const byCloudInit = new Set<string>();

function forgetProperty({ server }: ServerStepContext<unknown>): void {
  const own = laboratory.simulator.model.projects.get(project);
  const instance = own?.instances.get(instanceName(server.uuid));
  delete instance?.config['image.berth.first-start'];
}

function troubled(kind: OperationKind): OperationKind {
  if (kind.subject === 'node') return kind;
  const steps = Object.entries(kind.steps).map(([name, step]) => {
    const run = async (context: ServerStepContext<Record<string, unknown>>) => {
      const key = `${context.server.hostname.toLowerCase()} ${kind.kind}`;
      if (byCloudInit.has(context.server.hostname)) forgetProperty(context);
      if (failing.get(key) === name) throw new EngineError('invalid', wentWrong);
      const plan = plans.get(key);
      if (plan?.step !== name) return await step.run(context);
      plan.times += 1;
      return await plan.trouble(() => step.run(context), context, plan.times);
    };
    return [name, { ...step, run }] as const;
  });
  return { ...kind, steps: Object.fromEntries(steps) };
}

/** The names that servers were given after their creation. */
const renamed = new Map<number, string>();

const publicKey = newPublicKey();
/** How root logs in to the servers `withKeys`. The others have a password alone. */
const byKey: { ssh_keys: number[]; password_login: boolean } = {
  ssh_keys: [],
  password_login: false,
};
const withKeys = new Set<number>();
const userData = '#!/bin/sh\necho data >> /root/user-data\n';
const withUserData = new Set<number>();

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory({ kinds: operationKinds.map(troubled), members: ['a', 'b'] });
  const old = { name: otherProject, description: '', config: {} };
  await laboratory.client.projects.create(old);
  const body = { name: 'laptop', public_key: publicKey };
  byKey.ssh_keys = [(await laboratory.post('/ssh-keys', undefined, body)).json().id];
});
after(() => laboratory.close());

interface Way {
  kind: string;
  /** The steps that it runs, if they are not all steps of its kind. */
  steps?: string[];
  /** Prepares a new server with that name, and returns how to start the operation. */
  lead(name: string): Promise<() => Promise<Begun>>;
  /** The step that fails before. */
  failing?: string;
  /** The state of its server after it has succeeded, as far as it can. */
  end: string;
  /** The steps at which it can be cancelled, and what has become of its server then: `kept` is as it was. */
  cancel?: { steps: string[]; end: 'gone' | 'retried' | 'kept' };
  /** The steps whose failure leaves the server as it was. */
  keeps?: string[];
}

interface Begun {
  serverId: number;
  operation: { id: number };
}

/** Creates a server, and carries out these actions. */
const by =
  (action: PlainAction, { first = [], force }: { first?: PlainAction[]; force?: boolean } = {}) =>
  async (name: string) => {
    const { serverId, operation } = await laboratory.create(name);
    await laboratory.ended(operation.id);
    for (const earlier of first) {
      await laboratory.ended((await laboratory.request(serverId, earlier)).id);
    }
    const begin = () => laboratory.request(serverId, action, force);
    return async () => ({ serverId, operation: await begin() });
  };

interface Beginning {
  /** What brings it out of its running state. */
  first?: 'stop' | 'pause';
  /** Its guest ignores its shutdown. */
  isDeaf?: boolean;
  /** It is a virtual machine that can be migrated live. */
  isLive?: boolean;
}

/** Creates a server. Returns its id. */
async function begun(name: string, { first, isDeaf, isLive }: Beginning): Promise<number> {
  const { serverId, operation } = await laboratory.create(name);
  await laboratory.ended(operation.id);
  if (first) await laboratory.ended((await laboratory.request(serverId, first)).id);
  const { name: instance } = await laboratory.server(serverId);
  if (isDeaf) laboratory.simulator.faults.guest(instance, { ignoresShutdown: true });
  if (isLive) becomeMachine(instance);
  return serverId;
}

/** Moves it to the other member. A guest that ignores its shutdown is stopped by force. */
const byMove =
  (beginning: Beginning = {}) =>
  async (name: string) => {
    const serverId = await begun(name, beginning);
    return async () => ({ serverId, operation: await laboratory.move(serverId) });
  };

/** Gives it a new system. */
const byRebuild =
  ({ user_data, ...beginning }: Beginning & { user_data?: string } = {}) =>
  async (name: string) => {
    const serverId = await begun(name, beginning);
    return async () => {
      if (user_data === undefined) {
        return { serverId, operation: await laboratory.rebuild(serverId) };
      }
      withUserData.add(serverId);
      return { serverId, operation: await laboratory.rebuild(serverId, { user_data }) };
    };
  };

/** Enlarges it, where it is or on the other member. Only the cores of a running virtual machine can be changed. */
const byResize =
  ({ moves = false, ...beginning }: Beginning & { moves?: boolean } = {}) =>
  async (name: string) => {
    const serverId = await begun(name, beginning);
    const wanted = beginning.isLive ? { cpu: 2 } : { cpu: 2, ram: 512, disk: 4 };
    const request = moves ? resizeElsewhere : laboratory.resize;
    return async () => ({ serverId, operation: await request(serverId, wanted) });
  };

/** Resizes a server as if its node had no room, which it has for all of them. */
async function resizeElsewhere(serverId: number, { cpu, ram, disk }: ServerResize) {
  const { database, place } = laboratory;
  const nodes = await database.db.selectFrom('nodes').selectAll().execute();
  const begin: AnyServerAction['begin'] = async ({ project }, server) => {
    const [from, to] = [
      nodes.find(({ id }) => id === server.node_id),
      nodes.find(({ id }) => id !== server.node_id),
    ];
    assert.ok(from && to);
    const before = { cpu: server.cpu, ramMb: server.ram_mb, diskGb: server.disk_gb };
    const wanted = {
      ...{ cpu: cpu ?? before.cpu, ramMb: ram ?? before.ramMb, diskGb: disk ?? before.diskGb },
    };
    await setResizing(project, server.id, { ...wanted, sizeId: null }, to.id);
    return { state: { sizes: { before, wanted }, moves: true, from, to, evacuates: false } };
  };
  return await database.db.transaction().execute((trx) => {
    const project = new Project(trx, place.projectId);
    return enterAction({ trx, project }, serverId, { ...resizeAction, begin }, { cpu });
  });
}

/** A virtual machine that can be migrated live, with its disk. */
function becomeMachine(name: string): void {
  const own = laboratory.simulator.model.projects.get(project);
  const instance = own?.instances.get(name);
  const pool = laboratory.simulator.model.pools.get('berth');
  assert.ok(own && instance && pool);
  const disk = findVolume(pool, { project: own, type: 'container', name });
  assert.ok(disk && removeVolume(pool, disk));
  addVolume(pool, { ...disk, type: 'virtual-machine' });
  instance.type = 'virtual-machine';
  instance.config['migration.stateful'] = 'true';
}

/** Renames it, running or stopped, to the same in capital letters, by which its plan is found. */
const byRename = (first: PlainAction[]) => async (name: string) => {
  const { serverId, operation } = await laboratory.create(name);
  await laboratory.ended(operation.id);
  for (const earlier of first) {
    await laboratory.ended((await laboratory.request(serverId, earlier)).id);
  }
  const wanted = name.toUpperCase();
  renamed.set(serverId, wanted);
  return async () => ({ serverId, operation: await laboratory.rename(serverId, wanted) });
};

/** Repairs it after somebody has changed its instance. */
async function byRepair(name: string) {
  const { client, database, place } = laboratory;
  const serverId = await begun(name, {});
  const { name: instance } = await laboratory.server(serverId);
  await client.instances.change(instance, () => ({ config: { 'limits.processes': '5' } }));
  const enter = () =>
    database.db.transaction().execute((trx) => {
      const owner = new Project(trx, place.projectId);
      return insertOperation(owner, { ...firstStep(repairOperation), serverId });
    });
  return async () => ({ serverId, operation: await enter() });
}

/** The Incus project of instances that are moved to that of the location. */
const otherProject = 'old';

interface Adoption {
  isDeaf?: boolean;
  /** It is in another Incus project. */
  isForeign?: boolean;
  /** An interrupted worker has left a copy of it. */
  hasCopy?: boolean;
}

/** Adopts a running instance that was made by hand, with a disk and an address of its own. */
const byAdoption =
  ({ isDeaf = false, isForeign = false, hasCopy = false }: Adoption = {}) =>
  async (name: string) => {
    const { client, database, place, simulator } = laboratory;
    const { db } = database;
    adoptions += 1;
    // No new server gets it.
    const ip = `fd00:9::1:${adoptions.toString(16)}`;
    await makeByHand(name, ip, isForeign);
    simulator.administrator.start(homeOf(name), name);
    if (isDeaf) simulator.faults.guest(name, { ignoresShutdown: true });
    const instance = await client.inProject(homeOf(name)).instances.get(name);
    const node = await db
      .selectFrom('nodes')
      .select('id')
      .where('member', '=', instance?.location ?? '')
      .executeTakeFirstOrThrow();
    const facts = { mac: instance?.config['volatile.eth0.hwaddr'] ?? null, addresses: [ip] };
    const of = { instance: name, facts, ...(isForeign && { incusProject: otherProject }) };
    return () =>
      db.transaction().execute(async (trx) => {
        // A sweep may have seen it.
        await trx.deleteFrom('drift').where('instance', '=', name).execute();
        const id = await enterDriftIn(trx, { ...place, nodeId: node.id }, of);
        const owner = new Project(trx, place.projectId);
        const made = await adoptInstance(trx, owner, id, { os_id: place.osId });
        if (hasCopy) await leaveCopy(await uuidOf(trx, made.serverId));
        return made;
      });
  };
let adoptions = 0;

/** The instances by hand that are in another Incus project. */
const foreign = new Set<string>();
const homeOf = (name: string) => (foreign.has(name) ? otherProject : project);

async function uuidOf(db: Queryable, serverId: number): Promise<string> {
  const query = db.selectFrom('servers').select('uuid').where('id', '=', serverId);
  return (await query.executeTakeFirstOrThrow()).uuid;
}

const byHand = (name: string, source: NewInstance['source']): NewInstance => ({
  ...{ name, type: 'container', profiles: [], source },
  config: { 'limits.cpu': '1', 'limits.memory': '256MiB' },
  devices: { root: { type: 'disk', path: '/', pool: 'berth', size: '2GiB' } },
});

async function createIn(incus: IncusClient, wanted: NewInstance): Promise<void> {
  const { id } = await incus.instances.create(wanted, 'a');
  await incus.operations.wait(id, { timeoutSeconds: 60 });
}

/** A copy of which nobody knows whether it is whole. */
const leaveCopy = (uuid: string) =>
  createIn(laboratory.client, byHand(instanceName(uuid), { type: 'none' }));

async function makeByHand(name: string, ip: string, isForeign: boolean): Promise<void> {
  const { client, simulator } = laboratory;
  const wanted = byHand(name, { type: 'image', alias: 'berth-debian-12' });
  const eth0 = { type: 'nic', network: 'berthbr0', 'ipv6.address': ip };
  const devices = { ...wanted.devices, eth0 };
  // A sweep must not see the address of a foreign one in the project of the location, and reserve it.
  await createIn(client, isForeign ? wanted : { ...wanted, devices });
  const file = { type: 'file', uid: 0, gid: 0, mode: 0o644, content: 'ran\n' } as const;
  await client.files.push(name, '/root/ran', file);
  if (!isForeign) return;
  const source = { type: 'copy', source: name, project } as const;
  await createIn(client.inProject(otherProject), { ...byHand(name, source), devices });
  simulator.administrator.delete(project, name);
  foreign.add(name);
}

/**
 * Whether the instance is a server, or else has its own name and no labels. Nothing of it is lost in either case.
 */
async function isAdoptedOrBack(serverId: number, byHand: string): Promise<void> {
  const { client } = laboratory;
  const { name, isDeleted } = await laboratory.server(serverId);
  const home = client.inProject(homeOf(byHand));
  const [adopted, own] = [await client.instances.get(name), await home.instances.get(byHand)];
  const isLeft = foreign.has(byHand) && adopted !== null && own?.status === 'Stopped';
  // The original of a copy stays if it could not be removed.
  if (!isLeft) assert.equal([adopted, own].filter((one) => one !== null).length, 1);
  if (isDeleted) assert.equal(own?.config['user.berth.server'], undefined);
  if (isDeleted) assert.equal(own?.status, 'Running');
  const ran = await (adopted ? ranIn(client, name) : ranIn(home, byHand));
  assert.equal(ran?.content.toString(), 'ran\n');
}

const ranIn = ({ files }: IncusClient, name: string) => files.pull(name, '/root/ran', 1000);

/** Its adoption failed, and was undone. */
async function isNotAdopted(serverId: number, byHand: string): Promise<void> {
  await isSeenAs(serverId, 'gone');
  await isAdoptedOrBack(serverId, byHand);
  removeByHand(byHand);
}

/** Removes the instance that was not adopted. */
function removeByHand(name: string): void {
  const { administrator, model } = laboratory.simulator;
  const home = homeOf(name);
  if (model.projects.get(home)?.instances.has(name)) administrator.delete(home, name);
}

/** After a create of which only the last step failed. */
async function byRetry(name: string) {
  const fail = async () => {
    throw new EngineError('invalid', stays);
  };
  plans.set(`${name} create`, { step: 'finish', trouble: fail, times: 0 });
  const retry = await by('retry')(name);
  plans.delete(`${name} create`);
  return retry;
}

/** The delete of a server whose instance is gone, and whose disk still exists. */
async function byForgotten(name: string) {
  const { serverId, operation } = await laboratory.create(name);
  await laboratory.ended(operation.id);
  const { name: instance } = await laboratory.server(serverId);
  laboratory.simulator.administrator.forget(project, instance);
  return async () => ({ serverId, operation: await laboratory.request(serverId, 'delete') });
}

/** What the engine shows of a server in that state. */
const shownAs: Record<string, string> = {
  started: 'Running',
  stopped: 'Stopped',
  paused: 'Frozen',
  deleted: 'gone',
};
const statusOf = Object.fromEntries(
  Object.entries(shownAs).map(([status, shown]) => [shown, status]),
);

/** What brings a running server into the state from which an action starts. */
function leadingTo({ name, from }: AnyServerAction): PlainAction[] {
  if (name === 'unsuspend') return ['suspend'];
  if (from.includes('started')) return [];
  return [from.includes('stopped') ? 'stop' : 'pause'];
}

/** Starts from a running, a stopped or a paused server. The others are defined below. */
function wayOf(action: AnyServerAction): Way {
  const { name, operation, to = 'started' } = action;
  const first = leadingTo(action);
  const lead = by(name as PlainAction, { first });
  return { kind: operation.kind, lead, end: shownAs[to] ?? to };
}

const led = new Set<string>(['move', 'create', 'resize']);
const simple = Object.values(actions).filter(({ operation }) => !led.has(operation.kind));

/** How operations are requested; each kind has one case. */
const ways: Record<string, Way> = {
  ...Object.fromEntries(simple.map((action) => [`a ${action.name}`, wayOf(action)])),
  'a password': {
    kind: 'set_password',
    steps: ['set', 'ask'],
    lead: by('password'),
    end: 'Running',
  },
  'a password of a stopped server': {
    kind: 'set_password',
    steps: ['set', 'write'],
    lead: by('password', { first: ['stop'] }),
    end: 'Stopped',
  },
  'a password that could not be written': {
    kind: 'set_password',
    steps: ['restore'],
    lead: by('password', { first: ['stop'] }),
    failing: 'write',
    end: 'Stopped',
  },
  'a suspend': {
    kind: 'suspend',
    steps: ['stop', 'shutdown', 'hold'],
    lead: by('suspend'),
    end: 'Stopped',
  },
  'a suspend of a guest that ignores its shutdown': {
    kind: 'suspend',
    steps: ['cut'],
    lead: async (name) => {
      const serverId = await begun(name, { isDeaf: true });
      return async () => ({ serverId, operation: await laboratory.request(serverId, 'suspend') });
    },
    end: 'Stopped',
  },
  'a create': {
    kind: 'create',
    // Only a retry has something to clear.
    steps: Object.keys(createOperation.steps).filter((step) => step !== 'clear'),
    lead: async (name) => () => laboratory.create(name),
    end: 'Running',
    cancel: { steps: ['queue', 'image', 'instance', 'handover'], end: 'gone' },
  },
  'a create by cloud-init': {
    kind: 'create',
    steps: ['handover', 'start', 'boot', 'initialise', 'finish'],
    async lead(name) {
      byCloudInit.add(name);
      return async () => {
        const begun = await laboratory.create(name, [], byKey);
        withKeys.add(begun.serverId);
        return begun;
      };
    },
    end: 'Running',
    cancel: { steps: ['handover'], end: 'gone' },
  },
  'the retry of a create': {
    kind: 'create',
    lead: byRetry,
    end: 'Running',
    cancel: { steps: ['queue', 'image'], end: 'retried' },
  },
  'a create with user data': {
    kind: 'create',
    steps: ['handover', 'start', 'boot', 'initialise', 'finish'],
    lead: async (name) => async () => {
      const begun = await laboratory.create(name, [], { user_data: userData });
      withUserData.add(begun.serverId);
      return begun;
    },
    end: 'Running',
    cancel: { steps: ['handover'], end: 'gone' },
  },
  'a rebuild': {
    kind: 'create',
    lead: byRebuild(),
    end: 'Running',
    keeps: ['queue', 'image'],
    cancel: { steps: ['queue', 'image'], end: 'kept' },
  },
  'a rebuild of a stopped server': {
    kind: 'create',
    steps: ['clear'],
    lead: byRebuild({ first: 'stop' }),
    end: 'Running',
  },
  'a rebuild of a paused server': {
    kind: 'create',
    steps: ['clear'],
    lead: byRebuild({ first: 'pause' }),
    end: 'Running',
  },
  'a rebuild with user data': {
    kind: 'create',
    steps: ['clear', 'instance', 'handover', 'start', 'boot', 'initialise', 'finish'],
    lead: byRebuild({ user_data: userData }),
    end: 'Running',
  },
  'a forced stop': {
    kind: 'stop',
    steps: ['stop'],
    lead: by('stop', { force: true }),
    end: 'Stopped',
  },
  'a rename': { kind: 'rename', lead: byRename([]), end: 'Running' },
  'a rename of a stopped server': {
    kind: 'rename',
    steps: ['files', 'name'],
    lead: byRename(['stop']),
    end: 'Stopped',
  },
  'an adoption': {
    kind: 'adopt',
    steps: ['look', 'stop', 'rename', 'define', 'start'],
    lead: byAdoption(),
    end: 'Running',
  },
  'an adoption of a guest that ignores its shutdown': {
    kind: 'adopt',
    steps: ['cut'],
    lead: byAdoption({ isDeaf: true }),
    end: 'Running',
  },
  'an adoption that failed': {
    kind: 'adopt',
    steps: ['recover'],
    lead: byAdoption(),
    failing: 'define',
    end: 'gone',
  },
  'an adoption from another Incus project': {
    kind: 'adopt',
    steps: ['look', 'stop', 'copy', 'remove', 'define', 'start'],
    lead: byAdoption({ isForeign: true }),
    end: 'Running',
  },
  'an adoption from another Incus project of which a copy was left': {
    kind: 'adopt',
    steps: ['discard'],
    lead: byAdoption({ isForeign: true, hasCopy: true }),
    end: 'Running',
  },
  'an adoption from another Incus project that failed': {
    kind: 'adopt',
    steps: ['recover'],
    lead: byAdoption({ isForeign: true }),
    failing: 'copy',
    end: 'gone',
  },
  'a repair': { kind: 'repair', lead: byRepair, end: 'Running' },
  'a move': {
    kind: 'move',
    steps: ['look', 'stop', 'shutdown', 'migrate', 'start'],
    lead: byMove(),
    end: 'Running',
  },
  'a move of a stopped server': {
    kind: 'move',
    steps: ['look', 'migrate', 'start'],
    lead: byMove({ first: 'stop' }),
    end: 'Stopped',
  },
  'a move of a guest that ignores its shutdown': {
    kind: 'move',
    steps: ['shutdown', 'cut'],
    lead: byMove({ isDeaf: true }),
    end: 'Running',
  },
  'a live move of a virtual machine': {
    kind: 'move',
    steps: ['look', 'live'],
    lead: byMove({ isLive: true }),
    end: 'Running',
  },
  'a move that failed': {
    kind: 'move',
    steps: ['recover'],
    lead: byMove(),
    failing: 'migrate',
    end: 'Running',
  },
  'a resize': {
    kind: 'resize',
    steps: ['look', 'size'],
    lead: byResize(),
    end: 'Running',
    cancel: { steps: ['look'], end: 'kept' },
  },
  'a resize of a stopped server': {
    kind: 'resize',
    steps: ['look', 'size'],
    lead: byResize({ first: 'stop' }),
    end: 'Stopped',
    cancel: { steps: ['look'], end: 'kept' },
  },
  'a resize that failed': {
    kind: 'resize',
    steps: ['recover'],
    lead: byResize(),
    failing: 'size',
    end: 'Running',
  },
  'a resize with a move': {
    kind: 'resize',
    steps: ['look', 'stop', 'shutdown', 'migrate', 'size', 'start'],
    lead: byResize({ moves: true }),
    end: 'Running',
    cancel: { steps: ['look'], end: 'kept' },
  },
  'a resize with a move of a guest that ignores its shutdown': {
    kind: 'resize',
    steps: ['cut'],
    lead: byResize({ moves: true, isDeaf: true }),
    end: 'Running',
  },
  'a resize with a live move': {
    kind: 'resize',
    steps: ['live', 'size'],
    lead: byResize({ moves: true, isLive: true }),
    end: 'Running',
  },
  'a resize that failed after its move': {
    kind: 'resize',
    steps: ['recover'],
    lead: byResize({ moves: true }),
    failing: 'size',
    end: 'Running',
  },
  'a delete of a server whose disk has no instance': {
    kind: 'delete',
    steps: ['release'],
    lead: byForgotten,
    end: 'gone',
  },
};

let cases = 0;

/** Runs an operation on a new server to its end, with this fault. */
async function undergo(
  { kind, lead, failing: fails }: Way,
  step: string,
  [words, trouble]: [string, Trouble],
) {
  cases += 1;
  const name = `case-${cases}`;
  const begin = await lead(name);
  const plan = { step, trouble, times: 0 };
  plans.set(`${name} ${kind}`, plan);
  if (fails) failing.set(`${name} ${kind}`, fails);
  const { serverId, operation } = await begin();
  const last = await laboratory.ended(operation.id);
  plans.delete(`${name} ${kind}`);
  assert.ok(plan.times > 0, `The step ${step} of ${kind} was not reached.`);
  met.note(kind, step, words);
  return { serverId, last, name, runs: plan.times };
}

/** The records and the engine agree about it. */
async function isSeenAs(serverId: number, wanted: string): Promise<void> {
  const { name, status, isDeleted } = await laboratory.server(serverId);
  const instance = await laboratory.client.instances.get(name);
  assert.equal(instance?.status ?? 'gone', wanted);
  assert.equal(isDeleted ? 'deleted' : status, statusOf[wanted]);
  if (!instance) return;
  const ran = await laboratory.client.files.pull(name, '/root/ran', 1000);
  assert.equal(ran?.content.toString(), 'ran\n', 'its command ran once');
  const keys = await laboratory.client.files.pull(name, '/root/.ssh/authorized_keys', 1000);
  const wantedKeys = withKeys.has(serverId) ? `${publicKey}\n` : undefined;
  assert.equal(keys?.content.toString(), wantedKeys, 'it has its SSH keys');
  const data = await laboratory.client.files.pull(name, '/root/user-data', 1000);
  const wantedData = withUserData.has(serverId) ? 'data\n' : undefined;
  assert.equal(data?.content.toString(), wantedData, 'its user data was carried out once');
  const { node, movingTo } = await laboratory.server(serverId);
  assert.deepEqual([node, movingTo], [instance.location, null], 'its node is recorded');
  await isSized(serverId, instance);
  const called = renamed.get(serverId);
  if (called) await isCalled(name, called);
}

/** The records and the engine agree about its size, and no other is reserved. */
async function isSized(serverId: number, { config, devices }: Instance): Promise<void> {
  const { isResizing, size } = await laboratory.server(serverId);
  const [cpu, ram, disk] = size;
  assert.deepEqual(
    [config['limits.cpu'], config['limits.memory'], devices.root?.size],
    [String(cpu), `${ram}MiB`, `${disk}GiB`],
  );
  assert.equal(isResizing, false, 'nothing is reserved');
}

/** The instance, the files of its guest and, if it runs, the guest itself have this name. */
async function isCalled(name: string, wanted: string): Promise<void> {
  const { client } = laboratory;
  const instance = await client.instances.get(name);
  assert.ok(instance);
  assert.ok(instance.config['cloud-init.user-data']?.includes(`"fqdn": "${wanted}"`));
  const content = async (path: string) =>
    (await client.files.pull(name, path, 1000))?.content.toString();
  assert.equal(await content('/etc/hostname'), `${wanted}\n`);
  assert.match((await content('/etc/hosts')) ?? '', new RegExp(`^127\\.0\\.1\\.1 ${wanted}$`, 'm'));
  if (instance.status !== 'Running') return;
  const command = ['/bin/sh', '-c', 'hostname > /root/called'];
  await client.exec.run(name, command, '', { timeoutSeconds: 10 });
  assert.equal(await content('/root/called'), `${wanted}\n`);
}

/** The watcher needs a moment after a failed operation. */
async function isShownTruly(serverId: number): Promise<void> {
  await eventually(async () => {
    const { name, status, node, movingTo } = await laboratory.server(serverId);
    const instance = await laboratory.client.instances.get(name);
    assert.equal(status, statusOf[instance?.status ?? 'gone'], 'it has the state of its instance');
    if (!instance) return;
    assert.deepEqual([node, movingTo], [instance.location, null], 'and where');
    await isSized(serverId, instance);
  });
}

async function remove(serverId: number): Promise<void> {
  if ((await laboratory.server(serverId)).isDeleted) return;
  const deleted = await laboratory.ended((await laboratory.request(serverId, 'delete')).id);
  assert.equal(deleted.status, 'succeeded', deleted.message);
  await isSeenAs(serverId, 'gone');
}

/** After these faults a step must run once more. */
const again = /^(fails|loses)/;

const atOnce = { concurrency: 24 };

it('each kind has a test case', () => {
  const led = new Set(Object.values(ways).map(({ kind }) => kind));
  assert.deepEqual([...led].sort(), ofServers.map(({ kind }) => kind).sort());
});

for (const [what, way] of Object.entries(ways)) {
  const kind = operationKinds.find((one) => one.kind === way.kind);
  if (kind?.subject !== 'server') throw new Error(`There is no kind ${way.kind}.`);
  for (const step of way.steps ?? Object.keys(kind.steps)) {
    describe(`the step ${step} of ${what}`, atOnce, () => {
      for (const [words, trouble] of Object.entries(troubles)) {
        it(words, async () => {
          const { serverId, last, name, runs } = await undergo(way, step, [words, trouble]);
          assert.equal(last.status, way.failing ? 'failed' : 'succeeded', last.message);
          if (way.kind === 'adopt' && way.failing) {
            assert.ok(runs > 1 || !again.test(words), 'the step was run again');
            return await isNotAdopted(serverId, name);
          }
          if (way.failing) {
            assert.ok(last.error?.message.includes(wentWrong));
            await isShownTruly(serverId);
          }
          assert.ok(runs > 1 || !again.test(words), 'the step was run again');
          await isSeenAs(serverId, way.end);
          if (way.kind === 'set_password') {
            const { name } = await laboratory.server(serverId);
            const isSet = await hasPassword(laboratory, name, newPassword);
            assert.equal(isSet, !way.failing, 'root has the password');
            await hasWholeShadow(laboratory, name);
          }
          if (way.kind === 'repair') {
            const { name } = await laboratory.server(serverId);
            const repaired = await laboratory.client.instances.get(name);
            assert.equal(repaired?.config['limits.processes'], '1024');
          }
          await remove(serverId);
        });
      }

      for (const [words, trouble] of Object.entries(fatal)) {
        it(words, async () => {
          const { serverId, last, name } = await undergo(way, step, [words, trouble]);
          assert.equal(last.status, 'failed');
          assert.ok(last.error?.message.includes(stays));
          if (way.kind === 'adopt') {
            await isAdoptedOrBack(serverId, name);
            await remove(serverId);
            return removeByHand(name);
          }
          if (way.kind === 'set_password') {
            await hasWholeShadow(laboratory, (await laboratory.server(serverId)).name);
          }
          if (way.keeps?.includes(step)) {
            await isSeenAs(serverId, way.end);
            return await remove(serverId);
          }
          const { status, error } = await laboratory.server(serverId);
          if (kind.canBeRetried || kind.kind === 'delete') {
            assert.equal(status, 'error');
            assert.ok(error?.includes(stays));
          } else {
            await isShownTruly(serverId);
          }
          // Nothing is lost: a running server keeps running, wherever it is.
          const keepsRunning = kind.kind === 'move' || kind.kind === 'resize';
          if (keepsRunning && !way.failing) await isSeenAs(serverId, way.end);
          if (kind.canBeRetried) {
            await laboratory.ended((await laboratory.request(serverId, 'retry')).id);
            await isSeenAs(serverId, 'Running');
          }
          await remove(serverId);
        });
      }

      for (const [words, trouble] of Object.entries(cancels)) {
        it(words, async () => {
          const { serverId, last, name } = await undergo(way, step, [words, trouble]);
          const { steps = [], end } = way.cancel ?? {};
          if (!steps.includes(step)) {
            assert.equal(refusals.get(last.id), 'not_cancellable');
            assert.equal(last.status, way.failing ? 'failed' : 'succeeded', last.message);
            if (way.kind === 'adopt' && way.failing) return await isNotAdopted(serverId, name);
            if (way.failing) await isShownTruly(serverId);
            await isSeenAs(serverId, way.end);
            return await remove(serverId);
          }
          assert.deepEqual(
            [last.status, last.error, refusals.get(last.id)],
            ['cancelled', null, undefined],
          );
          if (end === 'retried') {
            const { status, error } = await laboratory.server(serverId);
            assert.deepEqual([status, error], ['error', 'Its creation was cancelled.']);
            await laboratory.ended((await laboratory.request(serverId, 'retry')).id);
            await isSeenAs(serverId, 'Running');
          }
          if (end === 'kept') await isSeenAs(serverId, way.end);
          const isDeleted = async () => assert.ok((await laboratory.server(serverId)).isDeleted);
          if (end === 'gone') await eventually(isDeleted);
          await remove(serverId);
          await nothingIsLeft(laboratory, serverId);
        });
      }
    });
  }
}

it('each step of each kind has had each fault', () => {
  assert.ok(met.count > 0);
  assert.deepEqual(met.missing(), []);
});

it('leaves nothing at the end', async () => {
  const { client, database } = laboratory;
  const { db } = database;
  assert.deepEqual(await client.instances.list(), []);
  const volumes = await client.storage.listVolumes('berth');
  assert.deepEqual(
    volumes.filter(({ type }) => type !== 'image'),
    [],
  );
  assert.deepEqual(await db.selectFrom('addresses').selectAll().execute(), []);
  const open = db.selectFrom('operations').select('id').where('finished_at', 'is', null);
  assert.deepEqual(await open.execute(), []);
  const secrets = db.selectFrom('operations').select('id').where('secrets', 'is not', null);
  assert.deepEqual(await secrets.execute(), []);
});
