import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestProject } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { type Demand, quotaOf, requireQuota } from './quota.ts';

const { db, close } = await createTestDatabase();
after(close);
const id = await createTestProject(db, 'of a quota');
const demand: Demand = { servers: 1, cpu: 2, ram: 512, disk: 10, addresses: 2 };
const full = {
  ...{ max_servers: 3, used_servers: 2, max_cpu: 6, used_cpu: 4 },
  ...{ max_ram_mb: 1536, used_ram_mb: 1024, max_disk_gb: 30, used_disk_gb: 20 },
  ...{ max_addresses: 6, used_addresses: 4 },
};

const required = (projectId = id) =>
  db.transaction().execute((trx) => requireQuota(trx, projectId, demand));
const setProject = (values: object) =>
  db
    .updateTable('projects')
    .set({ ...full, ...values })
    .where('id', '=', id)
    .execute();

test('a request that exactly fits is granted, and returns the project', async () => {
  await setProject({});
  const project = await required();
  assert.equal(project.id, id);
  assert.deepEqual(quotaOf(project), {
    servers: { limit: 3, used: 2 },
    cpu: { limit: 6, used: 4 },
    ram: { limit: 1536, used: 1024 },
    disk: { limit: 30, used: 20 },
    addresses: { limit: 6, used: 4 },
  });
});

test('a quota that was lowered refuses nothing of which no more is requested', async () => {
  await setProject({ max_cpu: 1, max_servers: 1 });
  const none = { servers: 0, cpu: 0, ram: 512, disk: 0, addresses: 0 };
  const project = await db.transaction().execute((trx) => requireQuota(trx, id, none));
  assert.equal(project.id, id);
});

test('without a limit, a request is granted whatever the usage', async () => {
  await setProject({ max_ram_mb: null, used_ram_mb: 1e9 });
  assert.equal((await required()).id, id);
});

test('a refusal names each exceeded quota with its unit', async () => {
  const cases: [values: object, words: string, is?: string][] = [
    [{ max_servers: 1 }, 'limit 1 server, used 2, requested 1'],
    [{ max_servers: 2 }, 'limit 2 servers, used 2, requested 1'],
    [{ max_cpu: 5 }, 'limit 5 cores, used 4, requested 2', 'too small'],
    [{ max_ram_mb: 1535 }, 'limit 1535 MiB of memory, used 1024, requested 512', 'too small'],
    [{ max_disk_gb: 29 }, 'limit 29 GiB of disk, used 20, requested 10', 'too small'],
    [{ max_addresses: 5 }, 'limit 5 addresses, used 4, requested 2', 'too small'],
    [
      { max_cpu: 1, max_addresses: 1 },
      'limit 1 core, used 4, requested 2; limit 1 address, used 4, requested 2',
    ],
    [
      { max_cpu: 4, max_addresses: 5 },
      'limit 4 cores, used 4, requested 2; limit 5 addresses, used 4, requested 2',
      'too small',
    ],
  ];
  for (const [values, words, is = 'used up'] of cases) {
    await setProject(values);
    await assert.rejects(required(), {
      code: 'quota_exceeded',
      message: `The project's quota is ${is}: ${words}. Delete servers, or have the quota raised.`,
    });
  }
});

test('the members of a refusal name the first of several exceeded quotas', async () => {
  await setProject({ max_cpu: 1, max_addresses: 1 });
  const members = { quota: 'cpu', limit: 1, used: 4, asked: 2 };
  await assert.rejects(required(), { code: 'quota_exceeded', members });
});

test('an unknown project is not found', async () => {
  await assert.rejects(required(999_999), {
    code: 'project_not_found',
    message: 'No project has the id 999999.',
  });
});
