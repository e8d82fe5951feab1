import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import type { CallOptions } from '../incus/transport/api.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { markServerDeleted } from '../servers/worker-queries.ts';
import { keptLog } from '../testing/canaries.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { createOrphanReconciler } from './orphans.ts';

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);

const installationId = 'us';

function instance(uuid: string, label = installationId, status = 'Running'): Instance {
  const config = { 'user.berth.installation': label, 'user.berth.server': uuid };
  return { name: `srv-${uuid}`, status, config } as unknown as Instance;
}

async function enter({ deleted = false } = {}): Promise<string> {
  const id = await enterServer(db, place);
  if (deleted) await db.transaction().execute((trx) => markServerDeleted(trx, id));
  const query = db.selectFrom('servers').select('uuid').where('id', '=', id);
  return (await query.executeTakeFirstOrThrow()).uuid;
}

/** Reconciles these instances. Returns the calls to Incus, what was found, and the log. */
async function keep(instances: Instance[], errors: Record<string, Error> = {}) {
  const calls: string[] = [];
  const { signal } = new AbortController();
  const ended = async (what: string, options: CallOptions) => {
    assert.equal(options.signal, signal);
    calls.push(what);
    if (errors[what]) throw errors[what];
    return { id: '1' };
  };
  const client = {
    instances: {
      updateState: (name: string, { action }: { action: string }, options: CallOptions) =>
        ended(`${action} ${name}`, options),
      delete: (name: string, options: CallOptions) => ended(`delete ${name}`, options),
    },
    operations: { wait: async () => ({ outcome: 'vanished' }) },
  } as unknown as IncusClient;
  const found: unknown[][] = [];
  const { log, lines } = keptLog();
  const reconcile = createOrphanReconciler({ installationId, log });
  const subject = { db, client, locationId: place.locationId, signal };
  await reconcile({ ...subject, found: (...what) => void found.push(what) }, instances);
  const told = lines
    .map((line) => JSON.parse(line))
    .map(({ level, instance: name, msg }) => [level, name, msg]);
  return { calls, found, lines: told };
}

test('an instance of a deleted server is removed', async () => {
  const uuid = await enter({ deleted: true });
  for (const status of ['Running', 'Frozen']) {
    const { calls, found, lines } = await keep([instance(uuid, installationId, status)]);
    assert.deepEqual(calls, [`stop srv-${uuid}`, `delete srv-${uuid}`], status);
    assert.deepEqual(found, [['orphan_removed', 1]]);
    const words = 'The instance of a deleted server was removed.';
    assert.deepEqual(lines, [['warn', `srv-${uuid}`, words]]);
  }
  const stopped = await keep([instance(uuid, installationId, 'Stopped')]);
  assert.deepEqual(stopped.calls, [`delete srv-${uuid}`]);
});

test('instances of existing servers, and those of others, are left alone', async () => {
  const lives = await enter();
  const gone = await enter({ deleted: true });
  const others = [instance(lives), instance(gone, 'them'), instance(gone, '')];
  assert.deepEqual(await keep(others), { calls: [], found: [], lines: [] });
});

test('an instance with an unknown server is left alone', async () => {
  const unknown = [instance(crypto.randomUUID()), instance('no uuid')];
  assert.deepEqual(await keep(unknown), { calls: [], found: [], lines: [] });
});

test('an instance that can not be removed is reported, and the others are removed', async () => {
  const [stays, goes] = [await enter({ deleted: true }), await enter({ deleted: true })];
  const instances = [stays, goes].map((uuid) => instance(uuid, installationId, 'Stopped'));
  const busy = new EngineError('busy', 'Not now.');
  const { calls, found, lines } = await keep(instances, { [`delete srv-${stays}`]: busy });
  assert.deepEqual(calls, [`delete srv-${stays}`, `delete srv-${goes}`]);
  assert.deepEqual(found, [
    ['orphan_stays', 1],
    ['orphan_removed', 1],
  ]);
  const words = 'The instance of a deleted server could not be removed.';
  assert.deepEqual(lines[0], ['warn', `srv-${stays}`, words]);
  const ours = { [`delete srv-${stays}`]: new TypeError('of ours') };
  await assert.rejects(keep(instances, ours), /of ours/);
});

test('nobody has to hear what was found', async () => {
  const uuid = await enter({ deleted: true });
  const busy = { delete: () => Promise.reject(new EngineError('busy', 'Not now.')) };
  const gone = { delete: async () => ({ id: '1' }) };
  for (const instances of [busy, gone]) {
    const client = { instances, operations: { wait: async () => ({ outcome: 'vanished' }) } };
    const { log, lines } = keptLog();
    const { signal } = new AbortController();
    const subject = { db, client: client as unknown as IncusClient, locationId: 1, signal };
    await createOrphanReconciler({ installationId, log })(subject, [
      instance(uuid, installationId, 'Stopped'),
    ]);
    assert.equal(lines.length, 1);
  }
});
