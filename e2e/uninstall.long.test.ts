import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadConfig } from '../service/src/config/config.ts';
import { createIncusClient } from '../service/src/incus/client.ts';
import { openHost } from '../service/src/installation/host.ts';
import {
  removeEverything,
  requireClear,
  requireStopped,
  takeInventory,
} from '../service/src/installation/uninstall.ts';
import { until } from '../service/src/testing/until.ts';
import { directory, incusNetwork, incusPool, incusProject, incusSocket } from './api.ts';
import { dataDirectory, removeService, startService, stopService } from './service.ts';

// Tests another installation on the same Incus, which is removed again.

const own = join(directory(), 'uninstall');
const names = {
  project: `${incusProject()}-gone`,
  pool: `${incusPool()}-gone`,
  /** One of the names that the harness removes. */
  network: `${incusNetwork()}h`,
};
after(async () => {
  await removeService(own);
  rmSync(own, { recursive: true, force: true });
});

test('an installation with a running server is removed, and another one is not affected', async () => {
  mkdirSync(own);
  const socketPath = incusSocket();
  const service = await startService({ directory: own, socketPath, names });
  const ask = async (path: string, body?: object) => {
    const answer = await fetch(`${service.url}/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as { id: number; status: string };
  };
  const wish = { name: 'gone', location_id: 1, os_id: 1, password: 'Correct-Horse-9', cpu: 1 };
  const { id } = await ask('/servers', { ...wish, initialCommands: [], ram: 256, disk: 2 });
  await until(
    'the server runs',
    () => ask(`/servers/${id}`),
    ({ status }) => status === 'started',
    120,
  );
  await stopService(own, 'SIGTERM');

  const dataDir = dataDirectory(own);
  await requireStopped(dataDir);
  const config = loadConfig({ BERTH_DATA_DIR: dataDir });
  const host = openHost(join(own, 'machine'), () => undefined, undefined);
  const inventory = await takeInventory(host, config);
  requireClear(inventory);
  assert.deepEqual(inventory.plan?.stays, []);
  await removeEverything(host, inventory, [dataDir]);

  const client = createIncusClient({ socketPath, project: 'default' });
  try {
    const { projects, networks, storage, networkAcls } = client;
    assert.equal(await projects.get(names.project), null);
    assert.equal(await networks.get(names.network), null);
    assert.equal(await storage.getPool(names.pool), null);
    assert.equal(await networkAcls.get(inventory.things?.acl ?? ''), null);
    assert.ok(await projects.get(incusProject()));
    assert.ok(await networks.get(incusNetwork()));
    assert.ok(await storage.getPool(incusPool()));
  } finally {
    await client.close();
  }
  assert.ok(!existsSync(dataDir));
});
