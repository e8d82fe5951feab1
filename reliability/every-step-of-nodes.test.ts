import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { NodeStepContext } from '../service/src/nodes/define-operation.ts';
import { operationKinds } from '../service/src/operation-kinds.ts';
import type { OperationKind } from '../service/src/operations/define.ts';
import { createTestToken } from '../service/src/testing/app.ts';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';
import { isWhole, nothingIsLeft, runningServer } from './servers.ts';
import { meetings, type Plan, stays, troublesOf } from './troubles.ts';

// Tests each step of each operation on a node with each fault. New kinds and steps are covered automatically.

const atOnce = 10;

let laboratory: Laboratory;
let headers: Record<string, string>;
const { troubles, fatal } = troublesOf(() => laboratory);

/** By the name of a node and the kind of operation. */
const plans = new Map<string, Plan>();

function troubled(kind: OperationKind): OperationKind {
  if (kind.subject === 'server') return kind;
  const steps = Object.entries(kind.steps).map(([name, step]) => {
    const run = async (context: NodeStepContext<Record<string, unknown>>) => {
      const plan = plans.get(`${context.node.name} ${kind.kind}`);
      if (plan?.step !== name) return await step.run(context);
      plan.times += 1;
      return await plan.trouble(() => step.run(context), context, plan.times);
    };
    return [name, { ...step, run }] as const;
  });
  return { ...kind, steps: Object.fromEntries(steps) };
}

/** The preparation of a node, and how to undo it. The loss of a node cannot be undone. */
const ways: Record<string, { first: string[]; last: string[] } | 'lost'> = {
  evacuate: { first: [], last: ['restore'] },
  restore: { first: ['evacuate'], last: [] },
  declare_lost: 'lost',
};

const kinds = operationKinds.filter(({ subject }) => subject === 'node');
const met = meetings(kinds, Object.keys({ ...troubles, ...fatal }));
const cases = kinds.flatMap((kind) =>
  Object.keys(kind.steps).flatMap((step) =>
    Object.entries({ ...troubles, ...fatal }).map(([words, trouble]) => {
      return { kind: kind.kind, step, words, trouble, isFatal: words in fatal };
    }),
  ),
);

/** Each case has its own node, with a running server. */
const nodes: { name: string; server: number }[] = [];
before(async () => {
  const members = cases.map((_, at) => `n${at}`);
  laboratory = await openLaboratory({
    kinds: operationKinds.map(troubled),
    members,
    sweepMilliseconds: 5000,
  });
  headers = (await createTestToken(laboratory.database.db, { scopes: ['admin'] })).headers;
  while (nodes.length < members.length) {
    const few = members.slice(nodes.length, nodes.length + atOnce);
    const made = await Promise.all(few.map((name) => runningServer(laboratory, `of-${name}`)));
    for (const { id } of made) nodes.push({ name: (await laboratory.server(id)).node, server: id });
  }
  assert.equal(
    new Set(nodes.map(({ name }) => name)).size,
    members.length,
    'one server on each node',
  );
});
after(() => laboratory.close());

async function act(node: string, action: string) {
  const path = `/nodes/${node}/${action.replace('_', '-')}`;
  const body = action === 'declare_lost' ? { confirm: node } : undefined;
  const answer = await laboratory.post(path, headers, body);
  assert.equal(answer.statusCode, 202, answer.body);
  return await laboratory.ended(answer.json().operation_id);
}

async function succeeds(node: string, action: string): Promise<void> {
  const { status, message } = await act(node, action);
  assert.equal(status, 'succeeded', message);
}

it('each kind has a test case', () => {
  assert.deepEqual(kinds.map(({ kind }) => kind).sort(), Object.keys(ways).sort());
});

/** Runs an operation with its fault, until it has succeeded. */
async function undergo(at: number, name: string): Promise<void> {
  const one = cases[at];
  assert.ok(one);
  const { kind, step, words, trouble, isFatal } = one;
  const plan = { step, trouble, times: 0 };
  plans.set(`${name} ${kind}`, plan);
  const { status, message, error } = await act(name, kind);
  plans.delete(`${name} ${kind}`);
  assert.ok(plan.times > 0, 'the step was reached');
  met.note(kind, step, words);
  if (!isFatal) return assert.equal(status, 'succeeded', message);
  assert.deepEqual([status, error?.message.includes(stays)], ['failed', true]);
  // The operation continues, and another request completes it.
  await succeeds(name, kind);
}

describe('a step of an evacuation or a restore', { concurrency: atOnce }, () => {
  for (const [at, { kind, step, words }] of cases.entries()) {
    const way = ways[kind];
    if (way === 'lost') continue;
    it(`${step} of ${kind} ${words}`, async () => {
      const own = nodes[at];
      assert.ok(own && way);
      const { name, server } = own;
      for (const action of way.first) await succeeds(name, action);
      await undergo(at, name);
      const { node } = await laboratory.server(server);
      if (kind === 'evacuate') assert.notEqual(node, name);
      for (const action of way.last) await succeeds(name, action);
      assert.equal((await laboratory.server(server)).node, name);
      await isWhole(laboratory, server);
      const members = await laboratory.client.server.members();
      const member = members.find((m) => m.server_name === name);
      assert.equal(member?.status, 'Online');
    });
  }
});

// Last, because nothing else may be on these nodes.
describe('a step of declaring a node lost', { concurrency: atOnce }, () => {
  for (const [at, { kind, step, words }] of cases.entries()) {
    if (ways[kind] !== 'lost') continue;
    it(`${step} of ${kind} ${words}`, async () => {
      const own = nodes[at];
      assert.ok(own);
      const { name, server } = own;
      laboratory.simulator.takeMemberDown(name, true);
      const state = async () => (await laboratory.ask(`/nodes/${name}`, headers)).state;
      await eventually(async () => assert.equal(await state(), 'offline'));
      await undergo(at, name);
      assert.equal(await state(), 'lost');
      assert.equal((await laboratory.server(server)).status, 'error');
      const { status } = await laboratory.ended((await laboratory.request(server, 'delete')).id);
      assert.equal(status, 'succeeded');
      await nothingIsLeft(laboratory, server);
    });
  }
});

it('each step of each kind has had each fault', () => {
  assert.ok(met.count > 0);
  assert.deepEqual(met.missing(), []);
});
