import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { wantImage } from '../service/src/operating-systems/image-queries.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';
import { within } from './waiting.ts';

// Images that an administrator asked for are got by whoever watches the location.

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory();
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
    .execute(async (trx) => void (await wantImage(trx, id, place.locationId)));
  const query = database.db.selectFrom('images').selectAll().where('os_id', '=', id);
  return () => query.executeTakeFirstOrThrow();
}

it('one that is there is ready at once', async () => {
  const image = await want('debian-12');
  await within(5000, async () => {
    const { status, progress } = await image();
    assert.deepEqual([status, progress], ['ready', 100]);
  });
});

it('one whose server can not be reached fails with its name, and is got when it is asked for again', async () => {
  const image = await want('debian-13');
  await within(20_000, async () => assert.equal((await image()).status, 'failed'));
  assert.match((await image()).message, /images\.linuxcontainers\.org/);
  laboratory.simulator.faults.imageServers.add('images.linuxcontainers.org');
  const again = await want('debian-13');
  await within(20_000, async () => assert.equal((await again()).status, 'ready'));
  const alias = await laboratory.client.images.getAlias('berth-debian-13');
  assert.ok(alias);
});
