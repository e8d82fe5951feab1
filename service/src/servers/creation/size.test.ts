import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sql } from 'kysely';
import { lockSizeForDeletion, markSizeDeleted } from '../../sizes/queries.ts';
import { createTestToken } from '../../testing/app.ts';
import { fingerprintOf } from '../../testing/fingerprint.ts';
import { amid } from '../../testing/locks.ts';
import { auditOf, createTestProject } from '../../testing/people.ts';
import { serverBody } from '../../testing/servers.ts';
import { enterSize } from '../../testing/sizes.ts';
import { createWholeApp } from '../../testing/whole-app.ts';

const whole = await createWholeApp();
const { db, place, ask } = whole;
after(whole.close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });

let named = 0;
/** The body of a create with a size in place of its parts. */
function bodyOf(size: unknown, more: object = {}) {
  const { cpu: _, ram: __, disk: ___, ...body } = serverBody(place);
  named += 1;
  return { ...body, name: `sized-${named}`, size, ...more };
}
const create = (size: unknown, headers: object = {}) =>
  ask('POST', '/servers', { body: bodyOf(size), ...headers });
const errorsOf = (answer: { json(): { errors?: object[] } }) => answer.json().errors;

const small = await enterSize(db);

describe('a server with a size', () => {
  it('has the parts of the size, and shows it', async () => {
    for (const size of [small, 'small', 'SMALL', String(small)]) {
      const answer = await create(size);
      assert.equal(answer.statusCode, 201, answer.body);
      const { id, specifications, size: shown, size_id } = answer.json();
      assert.deepEqual([shown, size_id], ['small', small]);
      assert.deepEqual(specifications, { cpu: 2, ram: 512, disk: 4 });
      const again = (await ask('GET', `/servers/${id}`)).json();
      assert.deepEqual([again.size, again.size_id], ['small', small]);
    }
  });

  it('shows the name that the size has now', async () => {
    const size = await enterSize(db, { name: 'earlier' });
    const { id } = (await create(size)).json();
    await ask('PATCH', '/sizes/earlier', { body: { name: 'later' }, ...admin });
    assert.equal((await ask('GET', `/servers/${id}`)).json().size, 'later');
  });

  it('has the traffic allowance of the size, or else that of the location', async () => {
    await enterSize(db, { name: 'allowed', trafficAllowance: 7 });
    await enterSize(db, { name: 'unmetered', trafficAllowance: 0 });
    await db.updateTable('locations').set({ traffic_allowance: 5 }).execute();
    const allowanceOf = async (size: string) => {
      const { id } = (await create(size)).json();
      return (await ask('GET', `/servers/${id}/traffic`)).json().allowance;
    };
    assert.deepEqual(
      [await allowanceOf('allowed'), await allowanceOf('unmetered'), await allowanceOf('small')],
      [7, 0, 5],
    );
    await db.updateTable('locations').set({ traffic_allowance: null }).execute();
    assert.equal(await allowanceOf('small'), null);
  });

  it('is tried by a dry run, which changes nothing', async () => {
    const before = await fingerprintOf(db);
    const answer = await ask('POST', '/servers/dry-run', { body: bodyOf('small') });
    assert.equal(answer.statusCode, 200, answer.body);
    const quota = { servers: 1, cpu: 2, ram: 512, disk: 4, addresses: 2 };
    assert.deepEqual(answer.json().quota, quota);
    assert.equal(await fingerprintOf(db), before);
  });

  it('counts in the quota with the parts of the size', async () => {
    const projectId = await createTestProject(db, 'with quota');
    const inIt = { ...admin, 'berth-project': String(projectId) };
    await db.updateTable('projects').set({ max_cpu: 3 }).where('id', '=', projectId).execute();
    assert.equal((await create('small', inIt)).statusCode, 201);
    const quota = (await ask('GET', `/projects/${projectId}/quota`, admin)).json();
    assert.deepEqual(quota.ram, { limit: null, used: 512 });
    const body = bodyOf('small');
    for (const path of ['/servers', '/servers/dry-run']) {
      const answer = await ask('POST', path, { body, ...inIt });
      assert.deepEqual([answer.statusCode, answer.json().code], [403, 'quota_exceeded']);
      assert.match(answer.json().detail, /limit 3 cores, used 2, requested 2/);
    }
  });

  it('can be created by a form', async () => {
    const { initialCommands: _, ...body } = bodyOf('small');
    const pairs = Object.entries(body).map(([name, value]) => [name, String(value)]);
    const payload = `${new URLSearchParams(pairs as [string, string][])}&initialCommands[]=`;
    const answer = await whole.app.inject({
      ...{ method: 'POST', url: '/v1/servers', payload },
      headers: { ...whole.headers, 'content-type': 'application/x-www-form-urlencoded' },
    });
    assert.equal(answer.statusCode, 201, answer.body);
    assert.equal(answer.json().size, 'small');
  });

  it('is found by its size', async () => {
    const rare = await enterSize(db, { name: 'rare' });
    const { id } = (await create(rare)).json();
    const listed = async (query: string) =>
      (await ask('GET', `/servers?${query}`)).json().map((one: { id: number }) => one.id);
    for (const size of ['rare', 'RARE', rare]) assert.deepEqual(await listed(`size=${size}`), [id]);
    const both = await listed('size=rare,small');
    const ofSmall = await listed('size=small');
    assert.deepEqual(both, [...ofSmall, id]);
  });
});

describe('a create is refused', () => {
  it('for a size that its location does not offer, with those that it does', async () => {
    const elsewhere = await enterSize(db, { name: 'elsewhere', locationIds: [4711] });
    const [error] = errorsOf(await create(elsewhere)) ?? [];
    assert.deepEqual(error, {
      pointer: '/size',
      detail: `test does not offer it. Choose one of GET /v1/sizes?location_id=${place.locationId}.`,
    });
  });

  it('for a size that is out of use', async () => {
    await enterSize(db, { name: 'old' });
    await ask('PATCH', '/sizes/old', { body: { deprecated: true }, ...admin });
    assert.deepEqual(errorsOf(await create('old')), [
      {
        pointer: '/size',
        detail: 'Is out of use. Choose one of GET /v1/sizes?deprecated=false.',
      },
    ]);
  });

  it('for a size that does not fit, in one error with all reasons', async () => {
    await enterSize(db, { name: 'misfit', cpu: 5, ram: 128, disk: 101 });
    const [error, ...others] = errorsOf(await create('misfit')) as { detail: string }[];
    assert.deepEqual(others, []);
    assert.match(
      error?.detail ?? '',
      /^Has 5 cores, and must have from 1 to 4 cores for Debian 12 in test\. .* 128 MiB.* 101 GiB/,
    );
  });

  it('for a size that is just being deleted', async () => {
    const dying = await enterSize(db, { name: 'dying' });
    const answer = await amid(
      db,
      async (trx) => {
        await lockSizeForDeletion(trx, dying);
        await markSizeDeleted(trx, dying);
      },
      () => create(dying),
    );
    assert.deepEqual(errorsOf(answer), [
      {
        pointer: '/size',
        detail: `No size has the id ${dying}. List the sizes with GET /v1/sizes.`,
      },
    ]);
  });
});

describe('a project that is held to sizes', () => {
  it('accepts creates and dry runs with a size only, also of administrators', async () => {
    const projectId = await createTestProject(db, 'held');
    const inIt = { ...admin, 'berth-project': 'held' };
    const set = (sizes_only: boolean) =>
      ask('PATCH', `/projects/${projectId}`, { body: { sizes_only }, ...admin });
    const free = (path: string) =>
      ask('POST', path, { body: { ...serverBody(place), name: `free-${path.length}` }, ...inIt });
    assert.equal((await free('/servers')).statusCode, 201);
    const changed = await set(true);
    assert.deepEqual([changed.statusCode, changed.json().sizes_only], [200, true]);
    for (const path of ['/servers', '/servers/dry-run']) {
      assert.deepEqual(errorsOf(await free(path)), [
        {
          pointer: '/size',
          detail: 'Is required: servers of this project can only have the sizes of GET /v1/sizes.',
        },
      ]);
    }
    assert.equal((await create('small', inIt)).statusCode, 201);
    assert.equal((await set(false)).json().sizes_only, false);
    assert.equal((await free('/servers/dry-run')).statusCode, 200);
    const details = (await auditOf(db, 'project_update'))
      .filter(({ target_id: of }) => of === projectId)
      .map((entry) => entry.details);
    assert.deepEqual(details, [
      { sizes_only: { before: false, after: true } },
      { sizes_only: { before: true, after: false } },
    ]);
  });

  it('can be created so', async () => {
    const body = { name: 'held from the start', sizes_only: true };
    const made = await ask('POST', '/projects', { body, ...admin });
    assert.deepEqual([made.statusCode, made.json().sizes_only], [201, true]);
    const other = { name: 'free from the start' };
    assert.equal(
      (await ask('POST', '/projects', { body: other, ...admin })).json().sizes_only,
      false,
    );
  });

  it('is not what the previous release knew, whose responses are replayed as well', async () => {
    const body = { name: 'of before' };
    const key = { ...admin, 'idempotency-key': 'project-of-before' };
    const { id } = (await ask('POST', '/projects', { body, ...key })).json();
    await sql`update idempotency_keys set body = body - 'sizes_only'`.execute(db);
    const again = (await ask('POST', '/projects', { body, ...key })).json();
    assert.deepEqual([again.id, again.sizes_only], [id, false]);
  });
});
