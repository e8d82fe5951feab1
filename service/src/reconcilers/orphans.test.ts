import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { pino } from 'pino';
import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import { markServerDeleted } from '../servers/worker-queries.ts';
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

/** Reconciles these instances. Returns the calls to Incus and the log. */
async function keep(instances: Instance[]) {
  const calls: string[] = [];
  const ended = async (what: string) => {
    calls.push(what);
    return { id: '1' };
  };
  const client = {
    instances: {
      updateState: (name: string, { action }: { action: string }) => ended(`${action} ${name}`),
      delete: (name: string) => ended(`delete ${name}`),
    },
    operations: { wait: async () => ({ outcome: 'vanished' }) },
  } as unknown as IncusClient;
  const logged = new PassThrough();
  const reconcile = createOrphanReconciler({ installationId, log: pino(logged) });
  const signal = new AbortController().signal;
  await reconcile({ db, client, locationId: place.locationId, signal }, instances);
  return {
    calls,
    lines: String(logged.read() ?? '')
      .split('\n')
      .filter(Boolean),
  };
}

test('an instance of a deleted server is removed', async () => {
  const uuid = await enter({ deleted: true });
  for (const status of ['Running', 'Frozen']) {
    const { calls } = await keep([instance(uuid, installationId, status)]);
    assert.deepEqual(calls, [`stop srv-${uuid}`, `delete srv-${uuid}`], status);
  }
  const stopped = await keep([instance(uuid, installationId, 'Stopped')]);
  assert.deepEqual(stopped.calls, [`delete srv-${uuid}`]);
});

test('instances of existing servers, and those of others, are left alone', async () => {
  const lives = await enter();
  const gone = await enter({ deleted: true });
  const others = [instance(lives), instance(gone, 'them'), instance(gone, '')];
  assert.deepEqual(await keep(others), { calls: [], lines: [] });
});

test('an instance with an unknown server is left alone', async () => {
  const unknown = [instance(crypto.randomUUID()), instance('no uuid')];
  assert.deepEqual(await keep(unknown), { calls: [], lines: [] });
});
