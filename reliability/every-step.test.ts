import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addVolume, findVolume, removeVolume } from '../incus-sim/src/model.ts';
import { EngineError } from '../service/src/incus/transport/errors.ts';
import { instanceName } from '../service/src/instances/labels.ts';
import { operationKinds } from '../service/src/operation-kinds.ts';
import type { OperationKind } from '../service/src/operations/define.ts';
import { actions } from '../service/src/servers/actions/all.ts';
import type { AnyServerAction } from '../service/src/servers/actions/define.ts';
import type { ServerStepContext } from '../service/src/servers/define-operation.ts';
import { createOperation } from '../service/src/servers/operations/create.ts';
import { newPublicKey } from '../service/src/testing/ssh-keys.ts';
import { eventually } from '../service/src/testing/until.ts';
import {
  type Laboratory,
  newPassword,
  openLaboratory,
  type PlainAction,
  project,
} from './laboratory.ts';
import { hasPassword } from './servers.ts';
import { meetings, type Plan, stays, type Trouble, troublesOf } from './troubles.ts';

// Tests each step of each operation on a server with each fault. New kinds and steps are covered automatically.
// every-step-of-nodes.test.ts tests those on nodes.

const { troubles, fatal } = troublesOf(() => laboratory);
const ofServers = operationKinds.filter(({ subject }) => subject === 'server');
const met = meetings(ofServers, Object.keys({ ...troubles, ...fatal }));

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
      const key = `${context.server.hostname} ${kind.kind}`;
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

const publicKey = newPublicKey();
/** How root logs in to the servers `withKeys`. The others have a password alone. */
const byKey: { ssh_keys: number[]; password_login: boolean } = {
  ssh_keys: [],
  password_login: false,
};
const withKeys = new Set<number>();

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory({ kinds: operationKinds.map(troubled), members: ['a', 'b'] });
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

/** Suspends one whose guest ignores its shutdown. */
async function bySuspension(name: string) {
  const { serverId, operation } = await laboratory.create(name);
  await laboratory.ended(operation.id);
  const { name: instance } = await laboratory.server(serverId);
  laboratory.simulator.faults.guest(instance, { ignoresShutdown: true });
  return async () => ({ serverId, operation: await laboratory.request(serverId, 'suspend') });
}

/** Moves it to the other member. A guest that ignores its shutdown is stopped by force. */
const byMove =
  ({ stopped = false, isDeaf = false, isLive = false } = {}) =>
  async (name: string) => {
    const { serverId, operation } = await laboratory.create(name);
    await laboratory.ended(operation.id);
    if (stopped) await laboratory.ended((await laboratory.request(serverId, 'stop')).id);
    const { name: instance } = await laboratory.server(serverId);
    if (isDeaf) laboratory.simulator.faults.guest(instance, { ignoresShutdown: true });
    if (isLive) becomeMachine(instance);
    return async () => ({ serverId, operation: await laboratory.move(serverId) });
  };

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

const led = new Set<string>(['move', 'create']);
const simple = Object.values(actions).filter(({ operation }) => !led.has(operation.kind));

/** How operations are requested; each kind has one case. */
const ways: Record<string, Way> = {
  ...Object.fromEntries(simple.map((action) => [`a ${action.name}`, wayOf(action)])),
  'a password': {
    kind: 'set_password',
    steps: ['set'],
    lead: by('password'),
    end: 'Running',
  },
  'a password of a stopped server': {
    kind: 'set_password',
    lead: by('password', { first: ['stop'] }),
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
    lead: bySuspension,
    end: 'Stopped',
  },
  'a create': {
    kind: 'create',
    // Only a retry has something to clear.
    steps: Object.keys(createOperation.steps).filter((step) => step !== 'clear'),
    lead: async (name) => () => laboratory.create(name),
    end: 'Running',
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
  },
  'the retry of a create': { kind: 'create', lead: byRetry, end: 'Running' },
  'a forced stop': {
    kind: 'stop',
    steps: ['stop'],
    lead: by('stop', { force: true }),
    end: 'Stopped',
  },
  'a move': {
    kind: 'move',
    steps: ['look', 'stop', 'shutdown', 'migrate', 'start'],
    lead: byMove(),
    end: 'Running',
  },
  'a move of a stopped server': {
    kind: 'move',
    steps: ['look', 'migrate', 'start'],
    lead: byMove({ stopped: true }),
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
  return { serverId, last, runs: plan.times };
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
  const { node, movingTo } = await laboratory.server(serverId);
  assert.deepEqual([node, movingTo], [instance.location, null], 'its node is recorded');
}

/** The watcher needs a moment after a failed operation. */
async function isShownTruly(serverId: number): Promise<void> {
  await eventually(async () => {
    const { name, status, node, movingTo } = await laboratory.server(serverId);
    const instance = await laboratory.client.instances.get(name);
    assert.equal(status, statusOf[instance?.status ?? 'gone'], 'it has the state of its instance');
    if (instance) assert.deepEqual([node, movingTo], [instance.location, null], 'and where');
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
          const { serverId, last, runs } = await undergo(way, step, [words, trouble]);
          assert.equal(last.status, way.failing ? 'failed' : 'succeeded', last.message);
          if (way.failing) {
            assert.ok(last.error?.message.includes(wentWrong));
            await isShownTruly(serverId);
          }
          assert.ok(runs > 1 || !again.test(words), 'the step was run again');
          await isSeenAs(serverId, way.end);
          if (way.kind === 'set_password') {
            const { name } = await laboratory.server(serverId);
            assert.ok(await hasPassword(laboratory, name, newPassword), 'root has the password');
          }
          await remove(serverId);
        });
      }

      for (const [words, trouble] of Object.entries(fatal)) {
        it(words, async () => {
          const { serverId, last } = await undergo(way, step, [words, trouble]);
          assert.equal(last.status, 'failed');
          assert.ok(last.error?.message.includes(stays));
          const { status, error } = await laboratory.server(serverId);
          if (kind.canBeRetried || kind.kind === 'delete') {
            assert.equal(status, 'error');
            assert.ok(error?.includes(stays));
          } else {
            await isShownTruly(serverId);
          }
          // Nothing is lost: a running server keeps running, wherever it is.
          if (kind.kind === 'move' && !way.failing) await isSeenAs(serverId, way.end);
          if (kind.canBeRetried) {
            await laboratory.ended((await laboratory.request(serverId, 'retry')).id);
            await isSeenAs(serverId, 'Running');
          }
          await remove(serverId);
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
