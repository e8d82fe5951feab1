import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { IncusClient } from '../incus/client.ts';
import type { CallOptions } from '../incus/transport/api.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { instanceName } from '../instances/labels.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { findings, type Subject, syncAllInstances, syncInstance } from './truth.ts';

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const { locationId } = place;

let stopping: AbortController;
/** What the engine lists: status and member by name. */
let listed: [name: string, status: string, member: string][];
/** The results of reading one instance. `undefined` is the status that the list has. */
let answers: Map<string, string | Error | null>;
let calls: unknown[][];
let found: unknown[][];

beforeEach(async () => {
  stopping = new AbortController();
  [listed, answers, calls, found] = [[], new Map(), [], []];
  const gone = { deleted_at: new Date(), node_id: place.nodeId };
  await db.updateTable('servers').set(gone).execute();
  await db.deleteFrom('nodes').where('member', 'is not', null).execute();
});

function noted(call: string, { signal, timeoutSeconds, member }: CallOptions) {
  assert.equal(signal, stopping.signal);
  calls.push([call, member, timeoutSeconds]);
}

const client = {
  instances: {
    async list(options: CallOptions) {
      noted('list', options);
      return listed.map(([name, status, location]) => ({ name, status, location }));
    },
    async get(name: string, options: CallOptions) {
      noted(name, options);
      const answer = answers.get(name);
      if (answer instanceof Error) throw answer;
      const [, status, location] = listed.find(([one]) => one === name) ?? [];
      return answer === null || !status ? null : { name, status: answer ?? status, location };
    },
  },
} as unknown as IncusClient;

const subject = (): Subject => ({
  ...{ db, client, locationId, signal: stopping.signal },
  found: (finding, count) => {
    assert.ok(findings.includes(finding));
    found.push([finding, count]);
  },
});

async function enterNode(name: string): Promise<void> {
  const about = { location_id: locationId, name, member: name, status: 'online' } as const;
  const seen = { updated_at: 'epoch', cpu: 4, ram_mb: 4096 };
  await db
    .insertInto('nodes')
    .values({ ...about, ...seen })
    .execute();
}

/** Inserts a running server whose instance is listed with that status, on that member. */
async function enter(status: string, member: string) {
  const id = await enterServer(db, place);
  const query = db.selectFrom('servers').select('uuid').where('id', '=', id);
  const name = instanceName((await query.executeTakeFirstOrThrow()).uuid);
  const on = db.selectFrom('nodes').select('id').where('name', '=', member);
  const node_id = (await on.executeTakeFirst())?.id ?? place.nodeId;
  await db
    .updateTable('servers')
    .set({ node_id, real_status_at: 'epoch' })
    .where('id', '=', id)
    .execute();
  listed.push([name, status, member]);
  return { id, name };
}

async function statusOf({ id }: { id: number }) {
  const query = db.selectFrom('servers').select(['status', 'real_status']).where('id', '=', id);
  const { status, real_status } = await query.executeTakeFirstOrThrow();
  assert.equal(status, real_status === 'not_exists' ? 'error' : real_status);
  return real_status;
}

async function nodes() {
  const query = db.selectFrom('nodes').select(['name', 'status', 'compared_at']);
  const rows = await query.where('member', 'is not', null).orderBy('name').execute();
  return rows.map(({ name, status, compared_at }) => [name, status, compared_at !== null]);
}

test('instances that are listed as broken are read from their members, which may not answer', async () => {
  for (const member of ['answers', 'refuses', 'silent']) await enterNode(member);
  const whole = await enter('Stopped', 'answers');
  const wrong = await enter('Error', 'answers');
  const broken = await enter('Error', 'answers');
  const vanished = await enter('Error', 'answers');
  const refused = await enter('Error', 'refuses');
  const [first, second] = [await enter('Error', 'silent'), await enter('Error', 'silent')];
  listed.push(['of-somebody', 'Error', 'answers']);
  answers.set(wrong.name, 'Frozen');
  answers.set(vanished.name, null);
  answers.set(refused.name, new EngineError('unreachable', 'connection refused'));
  answers.set(first.name, new EngineError('timeout', 'No answer.'));
  const instances = await syncAllInstances(subject());
  assert.deepEqual(
    instances.map(({ name }) => name),
    listed.map(([name]) => name),
  );
  const [list, ...read] = calls;
  assert.deepEqual(list, ['list', undefined, 30]);
  const expected = [
    ...[wrong, broken, vanished].map(({ name }) => [name, 'answers', 10]),
    ...[
      [refused.name, 'refuses', 10],
      [first.name, 'silent', 10],
    ],
  ];
  assert.deepEqual(read.toSorted(), expected.toSorted());
  assert.deepEqual(
    await Promise.all([whole, wrong, broken, vanished, refused, first, second].map(statusOf)),
    ['stopped', 'paused', 'error', 'error', 'started', 'started', 'started'],
  );
  assert.deepEqual(await nodes(), [
    ['answers', 'online', true],
    ['refuses', 'offline', false],
    ['silent', 'online', false],
  ]);
  assert.deepEqual(found, [
    ['status_changed', 1],
    ['member_silent', 2],
    ['status_changed', 3],
  ]);
});

test('any other error of a member is thrown', async () => {
  const { name } = await enter('Error', 'none');
  answers.set(name, new EngineError('failed', 'Of the engine.'));
  await assert.rejects(syncAllInstances(subject()), /Of the engine/);
});

test('a failed lookup of a missing instance does not affect the others', async () => {
  const [failing, gone] = [await enter('Stopped', 'none'), await enter('Stopped', 'none')];
  const there = await enter('Running', 'none');
  const instances = listed.splice(0);
  listed.push(...instances.filter(([name]) => name === there.name));
  answers.set(failing.name, new EngineError('failed', 'Of the engine.'));
  await assert.rejects(syncAllInstances(subject()), /Of the engine/);
  assert.deepEqual(await Promise.all([failing, gone, there].map(statusOf)), [
    ...['started', 'not_exists', 'started'],
  ]);
  assert.deepEqual(found.at(-1), ['instance_vanished', 1]);
  const read = calls.slice(1).map(([name]) => name);
  assert.deepEqual(read.toSorted(), [failing.name, gone.name].toSorted());
});

test('an instance of somebody is not read, and one of no server is not looked up again', async () => {
  await syncInstance(subject(), 'of-somebody');
  assert.deepEqual(calls, []);
  await enter('Running', 'none');
  const name = instanceName(crypto.randomUUID());
  await syncInstance(subject(), name);
  assert.deepEqual(calls, [[name, undefined, undefined]]);
});

test('a missing instance is not looked up again after an abort', async () => {
  const { name } = await enter('Running', 'none');
  listed = [];
  const { get } = client.instances;
  const instances = {
    async get(...about: Parameters<typeof get>) {
      const seen = await get(...about);
      stopping.abort();
      return seen;
    },
  };
  const away = { ...subject(), client: { instances } as unknown as IncusClient };
  await assert.rejects(syncInstance(away, name), { name: 'AbortError' });
  assert.equal(calls.length, 1);
});
