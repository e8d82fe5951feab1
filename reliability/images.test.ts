import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { requestImage } from '../service/src/images/queries.ts';
import { serverUuid } from '../service/src/instances/labels.ts';
import { createTestToken } from '../service/src/testing/app.ts';
import { serverBody } from '../service/src/testing/servers.ts';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';

// Tests images. The process that watches a location imports requested images and unpacks them on its nodes. An image that
// was not requested is unpacked for its first server, which the first tests need.

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory({ timing: { unpack: 3000 } });
});
after(() => laboratory.close());

async function osId(slug: string): Promise<number> {
  const query = laboratory.database.db.selectFrom('operating_systems').select('id');
  return (await query.where('slug', '=', slug).executeTakeFirstOrThrow()).id;
}

async function want(slug: string) {
  const { database, place } = laboratory;
  const id = await osId(slug);
  await database.db
    .transaction()
    .execute(async (trx) => void (await requestImage(trx, id, place.locationId)));
  const query = database.db.selectFrom('images').selectAll().where('os_id', '=', id);
  return () => query.executeTakeFirstOrThrow();
}

async function imageVolumes() {
  const volumes = await laboratory.client.storage.listVolumes('berth');
  return volumes.filter(({ type }) => type === 'image');
}

it('one that a killed daemon unpacked in part is unpacked again', async () => {
  const { simulator } = laboratory;
  const asked = ['a', 'b', 'c'].map((name) => laboratory.create(`unpacked-${name}`));
  const created = await Promise.all(asked);
  await eventually(async () => assert.equal((await imageVolumes()).length, 1));
  await simulator.restartDaemon(100);
  for (const { serverId, operation } of created) {
    assert.equal((await laboratory.ended(operation.id)).error, null);
    assert.equal((await laboratory.server(serverId)).status, 'started');
  }
  const [volume, ...others] = await imageVolumes();
  assert.match(volume?.description ?? '', /whole/);
  assert.deepEqual(others, []);
});

it('one that another client is unpacking is not touched', async () => {
  const { client, simulator } = laboratory;
  const [volume] = await imageVolumes();
  assert.ok(volume);
  await client.storage.deleteVolume('berth', volume);
  const theirs = await client.instances.create({
    name: 'theirs',
    type: 'container',
    source: { type: 'image', fingerprint: volume.name },
    profiles: [],
    config: {},
    devices: { root: { type: 'disk', path: '/', pool: 'berth', size: '2GiB' } },
  });
  await eventually(async () => assert.equal((await imageVolumes()).length, 1));
  const ours = await laboratory.create('beside');
  const ended = await client.operations.wait(theirs.id, { timeoutSeconds: 60 });
  assert.equal(ended.outcome, 'succeeded');
  await client.files.pull('theirs', '/etc/hostname', 1000);
  assert.equal((await laboratory.ended(ours.operation.id)).error, null);
  simulator.administrator.delete(project, 'theirs');
});

it('one that exists is ready at once', async () => {
  const image = await want('debian-12');
  await eventually(async () => {
    const { status, progress } = await image();
    assert.deepEqual([status, progress], ['ready', 100]);
  });
});

it('a create whose image server is unreachable ends with what to do next', async () => {
  const { serverId, operation } = await laboratory.create('no-image', [], {
    os_id: await osId('ubuntu-24.04'),
  });
  const { error } = await laboratory.ended(operation.id);
  assert.equal(error?.code, 'image_server_unreachable');
  assert.match(
    error?.message ?? '',
    new RegExp(
      `^The image server \\S+ can't be reached\\. .* retry: POST /v1/servers/${serverId}/retry\\. Or delete`,
    ),
  );
  assert.equal((await laboratory.server(serverId)).error, error?.message);
});

it('one whose server is unreachable fails with its name, and is imported at the next request', async () => {
  const image = await want('debian-13');
  await eventually(async () => assert.equal((await image()).status, 'failed'));
  assert.match((await image()).message, /images\.linuxcontainers\.org/);
  laboratory.simulator.faults.imageServers.add('images.linuxcontainers.org');
  const again = await want('debian-13');
  await eventually(async () => assert.equal((await again()).status, 'ready'));
  const alias = await laboratory.client.images.getAlias('berth-debian-13');
  assert.ok(alias);
});

it('one whose server is no longer allowed is not imported: a create is refused, or fails, with the reason', async () => {
  const { db } = laboratory.database;
  const os = db.updateTable('operating_systems').where('slug', '=', 'ubuntu-24.04');
  const source = { server: 'https://images.example', alias: 'ubuntu/24.04/cloud' };
  await os.set({ source: JSON.stringify(source) }).execute();
  laboratory.simulator.faults.imageServers.add('images.example');
  const image = await want('ubuntu-24.04');
  await eventually(async () => assert.equal((await image()).status, 'failed'));
  assert.match(
    (await image()).message,
    /^https:\/\/images\.example is not among the image servers/,
  );
  const { headers } = await createTestToken(db);
  const os_id = await osId('ubuntu-24.04');
  const body = { ...serverBody(laboratory.place), os_id };
  const refused = await laboratory.post('/servers', headers, body);
  assert.deepEqual([refused.statusCode, refused.json().code], [409, 'image_server_not_allowed']);
  assert.equal(refused.json().operation, undefined);
  // As if the server had been removed from the list after the request.
  const { operation } = await laboratory.create('too-late', [], { os_id });
  const { status, error } = await laboratory.ended(operation.id);
  assert.deepEqual([status, error?.code], ['failed', 'image_server_not_allowed']);
});

it('one that was imported is unpacked before its first server', async () => {
  const alias = await laboratory.client.images.getAlias('berth-debian-13');
  assert.ok(alias);
  await eventually(async () => {
    const volume = (await imageVolumes()).find(({ name }) => name === alias.target);
    assert.match(volume?.description ?? '', /whole/);
    const names = (await laboratory.client.instances.list()).map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => serverUuid(name) === undefined),
      [],
      'the instance that unpacked it is removed',
    );
  });
});

async function listed(slug: string) {
  const { database, place } = laboratory;
  const { headers } = await createTestToken(database.db);
  const path = `/operating-systems/${await osId(slug)}/images`;
  const images = (await laboratory.ask(path, headers)) as unknown as Record<string, unknown>[];
  return images.map(({ location_id, status }) => [location_id === place.locationId, status]);
}

it('one that a create has imported is listed, even without a request for it', async () => {
  assert.deepEqual(await listed('alpine-3.22'), []);
  laboratory.simulator.faults.imageServers.add('images.linuxcontainers.org');
  const { database, place } = laboratory;
  const headers = { ...(await createTestToken(database.db)).headers, prefer: 'wait=60' };
  const body = { ...serverBody(place), os_id: await osId('alpine-3.22') };
  const created = await laboratory.post('/servers', headers, body);
  assert.equal(created.json().status, 'started', created.body);
  laboratory.simulator.faults.imageServers.delete('images.linuxcontainers.org');
  assert.deepEqual(await listed('alpine-3.22'), [[true, 'ready']]);
});
