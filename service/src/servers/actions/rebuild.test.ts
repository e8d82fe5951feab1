import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sql } from 'kysely';
import { operationSecrets } from '../../keys/places.ts';
import { wipeOldSecrets } from '../../operations/worker-queries.ts';
import { testSecretKey } from '../../testing/app.ts';
import { thisMonthAndNext } from '../../testing/months.ts';
import { enterServer, operationUnderWay } from '../../testing/servers.ts';
import { newPublicKey } from '../../testing/ssh-keys.ts';
import { createWholeApp } from '../../testing/whole-app.ts';
import { createOperation } from '../operations/create.ts';
import type { CreateSecrets } from '../operations/create-secrets.ts';

const { db, place, ask, create, finish, close } = await createWholeApp();
after(close);

const body = { erase: true, password: 'correct horse battery', initialCommands: ['true'] };
const rebuild = (id: number, more: object = {}) =>
  ask('POST', `/servers/${id}/rebuild`, { body: { ...body, ...more } });
const show = async (id: number) => (await ask('GET', `/servers/${id}`)).json();
const { id: otherOs } = await db
  .selectFrom('operating_systems')
  .select('id')
  .where('slug', '=', 'debian-13')
  .executeTakeFirstOrThrow();
const setOs = (values: object) =>
  db.updateTable('operating_systems').set(values).where('id', '=', otherOs).execute();

/** A server that was created, with its addresses. */
async function created(): Promise<number> {
  const { id } = (await create({ name: 'rebuilt' })).json();
  await finish(id, 'started');
  const state = { installed_at: new Date(), real_status: 'started' as const };
  await db.updateTable('servers').set(state).where('id', '=', id).execute();
  return id;
}

const columnsOf = (id: number) =>
  db.selectFrom('servers').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Fails the operation of a server like its worker, in this step, after it has committed this state. */
async function fail(id: number, step: string, state: object): Promise<void> {
  const operation = await operationUnderWay(db, id);
  const now = { ...operation, step, server_id: id, state: { ...operation.state, ...state } };
  await db.transaction().execute(async (trx) => {
    const error = JSON.stringify({ code: 'image_server_unreachable', message: 'No image.' });
    await trx
      .updateTable('operations')
      .set({ status: 'failed', finished_at: new Date(), error })
      .where('id', '=', operation.id)
      .execute();
    await createOperation.failed(trx, now, 'No image.');
  });
}

/** The user data that the worker of its operation will hand over. */
async function userDataOf(serverId: number): Promise<string | undefined> {
  const { id, secrets } = await operationUnderWay(db, serverId);
  assert.ok(secrets);
  const place = operationSecrets(serverId, id);
  return testSecretKey.open<CreateSecrets>(place, secrets)?.withUserData?.userData;
}

async function secretsOf(serverId: number): Promise<number> {
  const rows = await db
    .selectFrom('operations')
    .select('id')
    .where('server_id', '=', serverId)
    .where('secrets', 'is not', null)
    .execute();
  return rows.length;
}

describe('a rebuild', () => {
  it('keeps everything of a server but its system, and how root logs in', async () => {
    const id = await created();
    const before = await show(id);
    const key = { name: `key-${id}`, public_key: newPublicKey() };
    const { id: keyId } = (await ask('POST', '/ssh-keys', { body: key })).json();
    const answer = await rebuild(id, { os_id: otherOs, ssh_keys: [keyId], password_login: false });
    assert.equal(answer.statusCode, 202, answer.body);
    const { kind, step, state } = await operationUnderWay(db, id);
    assert.deepEqual([kind, step, state.commands], ['create', 'queue', 1]);
    const now = await show(id);
    assert.deepEqual(
      [now.uuid, now.node, now.ip_addresses, now.specifications, now.hostname, now.created_at],
      [
        ...[before.uuid, before.node, before.ip_addresses, before.specifications],
        ...[before.hostname, before.created_at],
      ],
    );
    assert.deepEqual([now.status, now.error, now.os_id], ['creating', null, otherOs]);
    assert.match(now.os, /^Debian 13/);
    assert.deepEqual([now.ssh_keys.length, now.password_login], [1, false]);
    assert.deepEqual(now.initial_commands, { total: 1, failed: 0 });
    assert.equal((await rebuild(id)).json().code, 'operation_in_progress');
  });

  it('has the user data of its own request', async () => {
    const id = await created();
    const user_data = '#cloud-config\npackages: [nginx]\n';
    const refused = await rebuild(id, { user_data: 'packages: [nginx]', password_login: false });
    assert.equal(refused.statusCode, 422, refused.body);
    const { errors } = refused.json();
    const pointers = errors.map(({ pointer }: { pointer: string }) => pointer);
    assert.deepEqual(pointers, ['/password_login', '/user_data']);
    assert.match(errors[1].detail, /^Must begin with #cloud-config, /);
    assert.equal((await rebuild(id, { user_data })).statusCode, 202);
    assert.equal(await userDataOf(id), user_data);
    await fail(id, 'clear', { erases: true });
    assert.equal((await ask('POST', `/servers/${id}/retry`)).statusCode, 202);
    assert.equal(await userDataOf(id), user_data, 'a retry has the same');
    await fail(id, 'clear', {});
    assert.equal((await rebuild(id)).statusCode, 202);
    assert.equal(await userDataOf(id), undefined, 'another request has its own');
  });

  it('is possible in each state, with the word of the request', async () => {
    for (const status of ['started', 'stopped', 'paused', 'error'] as const) {
      const id = await enterServer(db, place, { status });
      for (const erase of [undefined, false]) {
        const refused = await rebuild(id, { erase });
        assert.equal(refused.statusCode, 422, refused.body);
        const [{ pointer, detail }] = refused.json().errors;
        assert.equal(pointer, '/erase');
        assert.match(detail, /everything on the disk of the server is lost/);
      }
      assert.equal((await show(id)).status, status);
      assert.equal((await rebuild(id)).statusCode, 202, status);
    }
  });

  it('gets only an operating system that fits', async () => {
    const id = await created();
    const locations = db.updateTable('locations');
    const cases: [prepare: () => Promise<unknown>, words: RegExp][] = [
      [() => setOs({ min_ram_mb: 257 }), /needs at least 257 MiB of memory .* Resize it first/],
      [() => setOs({ min_ram_mb: 256, min_disk_gb: 3 }), /and 3 GiB of disk, and the server has/],
      [() => setOs({ min_disk_gb: 1, enabled: false }), /Choose another one that is enabled/],
      [() => setOs({ enabled: true, type: 'virtual-machine' }), /virtual machine/i],
      [
        async () => {
          await setOs({ type: 'container' });
          await locations.set({ os_ids: [place.osId] }).execute();
        },
        /does not offer Debian 13/,
      ],
    ];
    for (const [prepare, words] of cases) {
      await prepare();
      const { errors } = (await rebuild(id, { os_id: otherOs })).json();
      assert.deepEqual([errors?.length, errors?.[0].pointer], [1, '/os_id'], String(words));
      assert.match(errors[0].detail, words);
    }
    await locations.set({ os_ids: null }).execute();
    const unknown = await rebuild(id, { os_id: 4711 });
    assert.equal(unknown.json().errors[0].pointer, '/os_id');
    assert.equal((await rebuild(id, { os_id: 'debian-13' })).statusCode, 202);
  });

  it('with the same operating system is possible when that gets no new servers', async () => {
    const id = await created();
    const own = db.updateTable('operating_systems').where('id', '=', place.osId);
    await own.set({ enabled: false }).execute();
    assert.equal((await rebuild(id, { os_id: place.osId })).statusCode, 202);
    await own.set({ enabled: true }).execute();
  });

  it('is in the audit log with both operating systems', async () => {
    const id = await created();
    await rebuild(id, { os_id: otherOs });
    const path = `/audit?target_kind=server&target_id=${id}&action=server_rebuild`;
    const [{ details }] = (await ask('GET', path)).json();
    assert.deepEqual(details, { os_id: { before: place.osId, after: otherOs } });
  });

  it('releases what a resize has reserved that was superseded by a delete which failed', async () => {
    const id = await created();
    const { ram_mb: before } = await columnsOf(id);
    const held = async () =>
      (await db.selectFrom('nodes').select('allocated_ram_mb').executeTakeFirstOrThrow())
        .allocated_ram_mb;
    const [sum, size] = [await held(), { ram: before + 256 }];
    assert.equal((await ask('POST', `/servers/${id}/resize`, { body: size })).statusCode, 202);
    assert.equal((await ask('DELETE', `/servers/${id}`)).statusCode, 202);
    assert.equal(await held(), sum + 256);
    await finish(id, 'error');
    assert.equal((await rebuild(id)).statusCode, 202);
    assert.equal(await held(), sum);
  });

  it('is refused while its node is out of service, and if its traffic is used up', async () => {
    const id = await created();
    const nodes = db.updateTable('nodes');
    for (const [state, words] of [
      [{ status: 'offline' }, /does not answer, so the server cannot be rebuilt now/],
      [{ status: 'online', evacuated: true }, /is evacuated/],
    ] as const) {
      await nodes.set(state).execute();
      const refused = await rebuild(id);
      assert.deepEqual([refused.statusCode, refused.json().code], [409, 'node_offline']);
      assert.match(refused.json().detail, words);
    }
    await nodes.set({ evacuated: false }).execute();
    await sql`update locations set traffic_policy = 'stop'`.execute(db);
    const used = thisMonthAndNext().map((month) => ({
      server_id: id,
      month,
      incoming: 0,
      outgoing: 9,
    }));
    await db.insertInto('traffic_months').values(used).execute();
    await db.updateTable('servers').set({ traffic_allowance: 9 }).where('id', '=', id).execute();
    const exceeded = await rebuild(id);
    assert.deepEqual([exceeded.statusCode, exceeded.json().code], [409, 'traffic_exceeded']);
    assert.ok(!(await show(id)).allowed_actions.includes('rebuild'));
    await sql`update locations set traffic_policy = 'none'`.execute(db);
    assert.equal((await show(id)).status, 'started');
  });
});

describe('a rebuild that fails', () => {
  it('before it has erased anything leaves the server as it was', async () => {
    for (const [step, state] of [
      ['queue', {}],
      ['image', { erases: false }],
    ] as const) {
      const id = await created();
      const before = await columnsOf(id);
      await rebuild(id, { os_id: otherOs });
      assert.equal((await columnsOf(id)).installed_at, null);
      await fail(id, step, state);
      assert.deepEqual(await columnsOf(id), before);
      assert.equal(await secretsOf(id), 0, 'nothing is kept for a retry');
      const { allowed_actions } = await show(id);
      assert.ok(!allowed_actions.includes('retry') && allowed_actions.includes('rebuild'));
    }
  });

  it('after a worker of the previous release may have erased something can be retried', async () => {
    for (const step of ['clear', 'image', 'instance']) {
      const id = await created();
      await rebuild(id, { os_id: otherOs });
      await fail(id, step, { fingerprint: 'known' });
      const { status, os_id, allowed_actions } = await show(id);
      assert.deepEqual([status, os_id], ['error', otherOs], step);
      assert.ok(allowed_actions.includes('retry'), step);
    }
  });

  it('later can be retried, or rebuilt with another request', async () => {
    const id = await created();
    await rebuild(id, { os_id: otherOs });
    await fail(id, 'clear', { erases: true });
    const failed = await show(id);
    assert.deepEqual([failed.status, failed.error, failed.os_id], ['error', 'No image.', otherOs]);
    assert.deepEqual(failed.allowed_actions, ['retry', 'rebuild', 'delete']);
    assert.equal(await wipeOldSecrets(db), 0);
    assert.equal((await ask('POST', `/servers/${id}/retry`)).statusCode, 202);
    assert.equal((await operationUnderWay(db, id)).state.before, undefined);
    await fail(id, 'queue', {});
    assert.equal((await show(id)).status, 'error', 'a retry has nothing to keep');
    assert.equal((await rebuild(id)).statusCode, 202);
    assert.equal(await secretsOf(id), 1, 'those of the failed one are gone');
    const { state } = await operationUnderWay(db, id);
    assert.equal(state.before, undefined);
  });
});
