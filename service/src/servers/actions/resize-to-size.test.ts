import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { createTestToken } from '../../testing/app.ts';
import { enterServer, operationUnderWay } from '../../testing/servers.ts';
import { enterSize } from '../../testing/sizes.ts';
import { createWholeApp } from '../../testing/whole-app.ts';
import { resizeOperation } from '../operations/resize.ts';
import { setServerResized } from '../worker-queries.ts';

// Each server has 1 core, 256 MiB and 2 GiB. The location has at most 4 cores, 8192 MiB and 100 GiB.

const { db, place, ask, close } = await createWholeApp();
after(close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });

const small = await enterSize(db, { trafficAllowance: 7 });
const large = await enterSize(db, { name: 'large', cpu: 4, ram: 1024, disk: 8 });
const twin = await enterSize(db, { name: 'twin' });

beforeEach(async () => {
  await db.updateTable('locations').set({ traffic_allowance: 5 }).execute();
  await db.updateTable('sizes').set({ deprecated: false, location_ids: null }).execute();
});

const resize = (id: number, body: object) => ask('POST', `/servers/${id}/resize`, { body });
const shown = async (id: number) => {
  const { size, size_id, specifications } = (await ask('GET', `/servers/${id}`)).json();
  const { cpu, ram, disk } = specifications;
  return { size, size_id, parts: [cpu, ram, disk] };
};
const allowanceOf = async (id: number) =>
  (await ask('GET', `/servers/${id}/traffic`)).json().allowance;

interface Sizes {
  before: { cpu: number; ramMb: number; diskGb: number };
  wanted: { cpu: number; ramMb: number; diskGb: number };
}

/** Ends the resize of a server like its worker, as a success or as a failure. */
async function end(id: number, { fails = false, held }: { fails?: boolean; held?: object } = {}) {
  const operation = await operationUnderWay(db, id);
  const { sizes } = operation.state as { sizes?: Sizes };
  assert.ok(sizes);
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('operations')
      .set({ status: fails ? 'failed' : 'succeeded', finished_at: new Date() })
      .where('id', '=', operation.id)
      .execute();
    if (!fails) return await setServerResized(trx, id, sizes.wanted);
    const state = { ...operation.state, ...(held && { held }) };
    await resizeOperation.failed(trx, { ...operation, state, server_id: id }, 'It failed.');
  });
}

async function resized(id: number, body: object): Promise<void> {
  const answer = await resize(id, body);
  assert.equal(answer.statusCode, 202, answer.body);
  await end(id);
}

/** The pointers and the text of a refusal. */
async function refusal(id: number, body: object): Promise<[pointers: string[], detail: string]> {
  const answer = await resize(id, body);
  assert.equal(answer.statusCode, 422, answer.body);
  const { errors, detail } = answer.json();
  return [errors.map(({ pointer }: { pointer: string }) => pointer), detail];
}

describe('a resize to a size', () => {
  it('gives the server the parts of the size, and the size once it is done', async () => {
    const id = await enterServer(db, place);
    const answer = await resize(id, { size: 'small' });
    assert.equal(answer.statusCode, 202, answer.body);
    const { state } = await operationUnderWay(db, id);
    const before = { cpu: 1, ramMb: 256, diskGb: 2 };
    const wanted = { cpu: 2, ramMb: 512, diskGb: 4 };
    assert.deepEqual(state, { sizes: { before, wanted }, moves: false });
    assert.deepEqual(await shown(id), { size: null, size_id: null, parts: [1, 256, 2] });
    await end(id);
    assert.deepEqual(await shown(id), { size: 'small', size_id: small, parts: [2, 512, 4] });
    await resized(id, { size: large });
    assert.deepEqual(await shown(id), { size: 'large', size_id: large, parts: [4, 1024, 8] });
  });

  it('of the same parts changes the size alone', async () => {
    const id = await enterServer(db, place);
    await resized(id, { size: 'small' });
    await resized(id, { size: 'twin' });
    assert.deepEqual(await shown(id), { size: 'twin', size_id: twin, parts: [2, 512, 4] });
  });

  it('can keep the disk, so that the server can become small again', async () => {
    const id = await enterServer(db, place);
    await resized(id, { size: 'small' });
    await resized(id, { size: 'large', keep_disk: true });
    assert.deepEqual(await shown(id), { size: 'large', size_id: large, parts: [4, 1024, 4] });
    await resized(id, { size: 'small' });
    assert.deepEqual((await shown(id)).parts, [2, 512, 4]);
    await resized(id, { size: 'large', keep_disk: true });
    await resized(id, { size: 'large' });
    assert.deepEqual((await shown(id)).parts, [4, 1024, 8], 'its disk can grow later');
  });

  it('gives the server the traffic allowance of a new one, unless it has the size', async () => {
    const id = await enterServer(db, place);
    await resized(id, { cpu: 2 });
    assert.equal(await allowanceOf(id), null, 'it had no size before either');
    await resized(id, { size: 'small' });
    assert.equal(await allowanceOf(id), 7);
    await db.updateTable('servers').set({ traffic_allowance: 9 }).where('id', '=', id).execute();
    await resized(id, { size: 'small' });
    assert.equal(await allowanceOf(id), 9);
    await resized(id, { size: 'twin' });
    assert.equal(await allowanceOf(id), 5);
    await resized(id, { size: 'small' });
    await resized(id, { cpu: 1 });
    assert.equal(await allowanceOf(id), 5);
  });

  it('that fails leaves the server its size, whatever it then has', async () => {
    const id = await enterServer(db, place);
    await resized(id, { size: 'small' });
    await resize(id, { size: 'large' });
    await end(id, { fails: true, held: { cpu: 2, ramMb: 512, diskGb: 8 } });
    assert.deepEqual(await shown(id), { size: 'small', size_id: small, parts: [2, 512, 8] });
    assert.equal(await allowanceOf(id), 7);
    await resized(id, { size: 'small' });
    assert.deepEqual((await shown(id)).parts, [2, 512, 8], 'a disk does not shrink');
  });

  it('is in the audit log, and its span has the size', async () => {
    const id = await enterServer(db, place);
    await resized(id, { size: 'small', keep_disk: true });
    await resized(id, { cpu: 1, ram: 512 });
    await resized(id, { size: 'small', keep_disk: true });
    const path = `/audit?target_kind=server&target_id=${id}&action=server_resize`;
    const entries = (await ask('GET', path)).json() as { details: object }[];
    assert.deepEqual(
      entries.map(({ details }) => details),
      [
        { size: { before: null, after: small }, keep_disk: true },
        { size: { before: small, after: null }, cpu: { before: 2, after: 1 } },
        { size: { before: null, after: small }, keep_disk: true },
      ],
    );
    const spans = await db
      .selectFrom('server_spans')
      .select('size_id')
      .where('server_id', '=', id)
      .orderBy('id')
      .execute();
    assert.deepEqual([spans[0]?.size_id, spans.at(-1)?.size_id], [null, small]);
  });
});

describe('a resize without a size', () => {
  it('leaves the server without one, also if nothing else changes', async () => {
    for (const body of [{ cpu: 1 }, { ram: 512 }]) {
      const id = await enterServer(db, place);
      await resized(id, { size: 'small' });
      await resized(id, body);
      const { size, size_id } = await shown(id);
      assert.deepEqual([size, size_id], [null, null]);
    }
  });

  it('is refused in a project that is held to sizes', async () => {
    const id = await enterServer(db, place);
    const hold = (sizes_only: boolean) =>
      ask('PATCH', `/projects/${place.projectId}`, { body: { sizes_only }, ...admin });
    await hold(true);
    const [pointers, detail] = await refusal(id, { cpu: 2 });
    assert.deepEqual(pointers, ['/size']);
    assert.match(detail, /can only have the sizes of GET \/v1\/sizes/);
    assert.equal((await resize(id, { size: 'small' })).statusCode, 202);
    await hold(false);
  });
});

describe('a resize to a size is refused', () => {
  it('if the disk would shrink, also if it is to be kept', async () => {
    const id = await enterServer(db, place);
    await resized(id, { size: 'large' });
    for (const body of [{ size: 'small' }, { size: 'small', keep_disk: true }]) {
      const [pointers, detail] = await refusal(id, body);
      assert.deepEqual(pointers, ['/size']);
      assert.match(
        detail,
        /small has 4 GiB of disk, and the server has 8 GiB: a disk can't shrink/,
      );
    }
  });

  it('if the size is out of use or elsewhere, unless the server has it', async () => {
    const [id, other] = [await enterServer(db, place), await enterServer(db, place)];
    await resized(id, { size: 'small' });
    const set = (values: object) =>
      db.updateTable('sizes').set(values).where('id', '=', small).execute();
    for (const values of [{ deprecated: true }, { deprecated: false, location_ids: [4711] }]) {
      await set(values);
      assert.deepEqual((await refusal(other, { size: 'small' }))[0], ['/size']);
      await resized(id, { size: 'small' });
    }
  });

  it('beyond the limits of the location and the quota', async () => {
    await enterSize(db, { name: 'huge', cpu: 5 });
    const id = await enterServer(db, place);
    const [pointers, detail] = await refusal(id, { size: 'huge' });
    assert.deepEqual(pointers, ['/size']);
    assert.match(detail, /Has 5 cores, and must have from 1 to 4 cores/);
    const project = db.updateTable('projects').where('id', '=', place.projectId);
    await project.set({ max_ram_mb: 300 }).execute();
    assert.equal((await resize(id, { size: 'small' })).json().code, 'quota_exceeded');
    await project.set({ max_ram_mb: null }).execute();
    assert.equal((await resize(id, { size: 'small' })).statusCode, 202);
  });
});
