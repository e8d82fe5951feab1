import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { createTestToken } from '../testing/app.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const whole = await createWholeApp();
const { db, place } = whole;
after(whole.close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });
const limits = async () => (await whole.ask('GET', `/locations/${place.locationId}`)).json().limits;
const setNode = (values: object) =>
  db.updateTable('nodes').set(values).where('id', '=', place.nodeId).execute();

it('the limits are those that an administrator has set', async () => {
  assert.deepEqual(await limits(), {
    cpu: { min: 1, max: 4 },
    ram: { min: 128, max: 8192 },
    disk: { min: 1, max: 100 },
  });
});

it('the limits do not exceed the largest node, which also applies to creates', async () => {
  await setNode({ cpu: 2, ram_mb: 4096, disk_gb: 50 });
  const other = { location_id: place.locationId, name: 'other', status: 'online' as const };
  await db
    .insertInto('nodes')
    .values({ ...other, member: null, cpu: 3, ram_mb: 1024, disk_gb: 20, incus_version: null })
    .execute();
  const shown = await limits();
  assert.deepEqual([shown.cpu.max, shown.ram.max, shown.disk.max], [3, 4096, 50]);
  const change = { limits: { cpu: { max: 64 } } };
  const changed = await whole.ask('PATCH', `/locations/${place.locationId}`, {
    body: change,
    ...admin,
  });
  assert.equal(changed.json().limits.cpu.max, 3);
  const refused = await whole.create({ cpu: 4 });
  assert.equal(refused.statusCode, 422);
  assert.match(refused.json().errors[0].detail, /^Must be from 1 to 3 cores/);
  assert.equal((await whole.create({ cpu: 2, ram: 4096, disk: 50 })).statusCode, 201);
});

it('nodes without known resources, removed and lost ones do not count', async () => {
  await setNode({ cpu: 0, ram_mb: 0, disk_gb: 0 });
  await db.updateTable('nodes').set({ lost: true }).where('name', '=', 'other').execute();
  const shown = await limits();
  assert.deepEqual([shown.cpu.max, shown.ram.max, shown.disk.max], [64, 8192, 100]);
});
