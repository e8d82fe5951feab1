import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Project } from '../db/project.ts';
import type { IncusClient } from '../incus/client.ts';
import { instanceName } from '../instances/labels.ts';
import { supersedeOperation } from '../operations/queries.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer, operationUnderWay } from '../testing/servers.ts';
import { enterSize } from '../testing/sizes.ts';
import { syncAllInstances, syncInstance } from './truth.ts';

// A resize that has ended without having seen the size of its server leaves its reservation.

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const { signal } = new AbortController();

const row = (id: number) =>
  db.selectFrom('servers').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

async function sizeOf(id: number) {
  const { cpu, ram_mb, disk_gb, resizing_cpu, resizing_ram_mb, resizing_disk_gb, ...others } =
    await row(id);
  const reserved = [resizing_cpu, resizing_ram_mb, resizing_disk_gb, others.resizing_size_id];
  return { size: [cpu, ram_mb, disk_gb, others.size_id], reserved };
}

async function allocated() {
  const nodes = db.selectFrom('nodes').selectAll().where('id', '=', place.nodeId);
  const { allocated_cpu, allocated_ram_mb, allocated_disk_gb } =
    await nodes.executeTakeFirstOrThrow();
  return [allocated_cpu, allocated_ram_mb, allocated_disk_gb];
}

const sizeId = await enterSize(db, { cpu: 3, ram: 128, disk: 4 });

/** Inserts a server of 1 core, 256 MiB and 2 GiB that is being resized. */
async function resizing(): Promise<number> {
  const id = await enterServer(db, place, { operation: 'resize' });
  const wanted = { resizing_cpu: 3, resizing_ram_mb: 128, resizing_disk_gb: 4 };
  await db
    .updateTable('servers')
    .set({ ...wanted, resizing_size_id: sizeId })
    .where('id', '=', id)
    .execute();
  return id;
}

async function supersede(id: number): Promise<void> {
  const operation = await operationUnderWay(db, id);
  await db.transaction().execute(async (trx) => {
    await supersedeOperation(new Project(trx, place.projectId), operation.id, 'a test');
  });
}

/** An engine in which the server has got its cores and its memory, and not its disk. */
async function halfWay(id: number, isSilent = false) {
  const name = instanceName((await row(id)).uuid);
  const shown = { name, type: 'container', status: 'Running', location: 'none' };
  const found = {
    ...shown,
    // If its member does not answer, Incus shows neither.
    config: isSilent ? {} : { 'limits.cpu': '3', 'limits.memory': '128MiB' },
    devices: isSilent ? {} : { root: { size: '2GiB' } },
  };
  // Another one, which has all that was wanted.
  const other = {
    ...{ ...shown, name: instanceName(crypto.randomUUID()) },
    config: { 'limits.cpu': '3', 'limits.memory': '128MiB' },
    devices: { root: { size: '4GiB' } },
  };
  const instances = [other, found];
  const get = async (wanted: string) => instances.find((one) => one.name === wanted) ?? null;
  const client = { instances: { list: async () => instances, get } };
  return {
    subject: { db, client: client as unknown as IncusClient, locationId: place.locationId, signal },
    ...{ name, other: other.name },
  };
}

const reserved = { size: [1, 256, 2, null], reserved: [3, 128, 4, sizeId] };
const settled = { size: [3, 128, 2, sizeId], reserved: [null, null, null, null] };

for (const [way, sync] of Object.entries({
  'a sync of one instance': syncInstance,
  'a sync of all instances': syncAllInstances,
})) {
  test(`a size that was left reserved is settled with the one of the engine: ${way}`, async (t) => {
    const id = await resizing();
    t.after(() =>
      db.updateTable('servers').set({ deleted_at: new Date() }).where('id', '=', id).execute(),
    );
    const { subject, name, other } = await halfWay(id);
    await sync(subject, name);
    assert.deepEqual(await sizeOf(id), reserved, 'its resize is in progress');
    await supersede(id);
    const silent = await halfWay(id, true);
    await sync(silent.subject, name);
    assert.deepEqual(await sizeOf(id), reserved, 'the engine has not shown it');
    assert.deepEqual(await allocated(), [3, 256, 4]);
    await syncInstance(subject, other);
    assert.deepEqual(await sizeOf(id), reserved, 'the engine has shown another one');
    await sync(subject, name);
    assert.deepEqual(await sizeOf(id), settled);
    assert.deepEqual(await allocated(), [3, 128, 2]);
  });
}
