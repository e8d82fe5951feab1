import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { removeLocationRow } from '../locations/queries.ts';
import { markServerDeleted } from '../servers/worker-queries.ts';
import { createTestToken } from '../testing/app.ts';
import { fingerprintOf } from '../testing/fingerprint.ts';
import { amid } from '../testing/locks.ts';
import { auditOf } from '../testing/people.ts';
import { serverBody } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';
import { findSizeToUse } from './queries.ts';

const whole = await createWholeApp();
const { db, place, ask, app } = whole;
after(whole.close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });

const make = (body: object, more: object = {}) =>
  ask('POST', '/sizes', {
    body: { name: 'small', cpu: 2, ram: 512, disk: 4, ...body },
    ...admin,
    ...more,
  });
const change = (id: number | string, body: object) =>
  ask('PATCH', `/sizes/${id}`, { body, ...admin });
const remove = (id: number | string) => ask('DELETE', `/sizes/${id}`, admin);
const outcome = (answer: { statusCode: number; json(): { code?: string } }) => [
  answer.statusCode,
  answer.json().code,
];
const pointersOf = (answer: { json(): { errors: { pointer: string }[] } }) =>
  answer
    .json()
    .errors.map(({ pointer }) => pointer)
    .sort();

/** A server of this size. */
async function createOf(size: number | string): Promise<number> {
  const { cpu: _, ram: __, disk: ___, ...body } = serverBody(place);
  const answer = await ask('POST', '/servers', { body: { ...body, size } });
  assert.equal(answer.statusCode, 201, answer.body);
  return answer.json().id;
}

const removeServer = (id: number) => db.transaction().execute((trx) => markServerDeleted(trx, id));

async function enterLocation(name: string): Promise<number> {
  const {
    id: _,
    created_at: __,
    uuid: ___,
    ...values
  } = await db.selectFrom('locations').selectAll().executeTakeFirstOrThrow();
  const row = { ...values, engine: JSON.stringify(values.engine), name };
  const query = db.insertInto('locations').values(row).returning('id');
  return (await query.executeTakeFirstOrThrow()).id;
}

describe('a size', () => {
  it('is created, shown by id or name, changed and deleted, with audit entries', async () => {
    const price = { hourly: '0.0074', monthly: '4.50', currency: 'EUR' };
    const body = {
      ...{ name: 'cx-1', description: 'For small sites', cpu: 2, ram: 2048, disk: 20 },
      ...{ traffic_allowance: 10 ** 12, location_ids: ['TEST'], price },
    };
    const made = await make(body);
    assert.equal(made.statusCode, 201, made.body);
    const { id, created_at: _, ...shown } = made.json();
    assert.equal(made.headers.location, `/v1/sizes/${id}`);
    assert.deepEqual(shown, { ...body, location_ids: [place.locationId], deprecated: false });
    for (const one of [id, 'CX-1'])
      assert.deepEqual((await ask('GET', `/sizes/${one}`)).json(), made.json());
    const changed = await change('cx-1', {
      ...{ name: 'cx-2', description: '', deprecated: true },
      ...{ traffic_allowance: null, location_ids: null, price: null },
    });
    assert.deepEqual(changed.json(), {
      ...made.json(),
      ...{ name: 'cx-2', description: '', deprecated: true },
      ...{ traffic_allowance: null, location_ids: null, price: null },
    });
    assert.deepEqual((await change('cx-2', {})).json(), changed.json());
    const removed = await remove('cx-2');
    assert.deepEqual([removed.statusCode, removed.json()], [200, changed.json()]);
    assert.deepEqual(outcome(await ask('GET', `/sizes/${id}`)), [404, 'size_not_found']);
    assert.deepEqual(outcome(await remove(id)), [404, 'size_not_found']);
    assert.deepEqual(outcome(await change(id, {})), [404, 'size_not_found']);

    const entries = async (action: 'size_create' | 'size_update' | 'size_delete') =>
      (await auditOf(db, action)).filter(({ target_id: of }) => of === id);
    const [created] = await entries('size_create');
    const where = String(place.locationId);
    assert.deepEqual(created?.details, {
      ...{ name: 'cx-1', cpu: 2, ram: 2048, disk: 20, deprecated: false },
      ...{ traffic_allowance: 10 ** 12, location_ids: where },
      ...{ price_hourly: '0.0074', price_monthly: '4.50', currency: 'EUR' },
    });
    assert.equal(created?.project_id, null);
    const [update, nothing] = await entries('size_update');
    assert.deepEqual(update?.details, {
      name: { before: 'cx-1', after: 'cx-2' },
      traffic_allowance: { before: 10 ** 12, after: null },
      deprecated: { before: false, after: true },
      location_ids: { before: where, after: null },
      price_hourly: { before: '0.0074', after: null },
      price_monthly: { before: '4.50', after: null },
      currency: { before: 'EUR', after: null },
    });
    assert.equal(nothing?.details, null);
    const [gone, missing] = await entries('size_delete');
    assert.partialDeepStrictEqual(gone?.details, { name: 'cx-2', cpu: 2, price_hourly: null });
    assert.deepEqual([gone?.status, missing?.status], [200, 404]);
  });

  it('has no price, no allowance of its own and all locations by default', async () => {
    const { id } = (await make({ name: 'plain' })).json();
    const { description, traffic_allowance, price, location_ids, deprecated } = (
      await ask('GET', `/sizes/${id}`)
    ).json();
    assert.deepEqual(
      [description, traffic_allowance, price, location_ids, deprecated],
      ['', null, null, null, false],
    );
    const hourly = { hourly: '0', currency: 'USD' };
    const priced = (await change(id, { price: hourly })).json();
    assert.deepEqual(priced.price, { ...hourly, monthly: null });
  });

  it('can be sent as a form', async () => {
    const payload =
      'name=form&cpu=1&ram=512&disk=5&price[hourly]=0.01&price[currency]=EUR&location_ids[]=test';
    const answer = await app.inject({
      ...{ method: 'POST', url: '/v1/sizes', payload },
      headers: { ...admin, 'content-type': 'application/x-www-form-urlencoded' },
    });
    assert.equal(answer.statusCode, 201, answer.body);
    const { price, location_ids } = answer.json();
    assert.deepEqual(price, { hourly: '0.01', monthly: null, currency: 'EUR' });
    assert.deepEqual(location_ids, [place.locationId]);
  });

  it('has a name of its own, also among concurrent requests, until it is deleted', async () => {
    const { id } = (await make({ name: 'taken' })).json();
    assert.deepEqual(outcome(await make({ name: 'taken' })), [409, 'name_taken']);
    const { id: other } = (await make({ name: 'other' })).json();
    assert.deepEqual(outcome(await change(other, { name: 'taken' })), [409, 'name_taken']);
    assert.equal((await change(id, { name: 'taken' })).statusCode, 200, 'its own name is free');
    const answers = await Promise.all([1, 2, 3, 4].map(() => make({ name: 'at-once' })));
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 409, 409, 409]);
    await remove(id);
    assert.equal((await make({ name: 'taken' })).statusCode, 201);
  });

  it('is replayed for the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'a-size' };
    const first = await make({ name: 'once' }, headers);
    const second = await make({ name: 'once' }, headers);
    assert.equal(second.headers['idempotency-replayed'], 'true');
    assert.deepEqual(second.json(), first.json());
  });
});

describe('a request for a size is refused', () => {
  const price = { hourly: '0.01', currency: 'EUR' };
  const bad: [field: string, value: unknown, pointer?: string][] = [
    ...['', '7', 'Small', 'a_b', '-a', 'a-', 'a b', 'a,b', 'é', 'a\n', 'x'.repeat(64), 7, null].map(
      (name): [string, unknown] => ['name', name],
    ),
    ...[null, 7, 'a\0', 'x'.repeat(501)].map((text): [string, unknown] => ['description', text]),
    ...[-1, 1.5, '1', 2 ** 53, {}].map((bytes): [string, unknown] => ['traffic_allowance', bytes]),
    ...['', [], ['test', 'test'], {}, 1].map((ids): [string, unknown] => ['location_ids', ids]),
    ['location_ids', ['test', 4711], '/location_ids/1'],
    ['location_ids', ['nowhere'], '/location_ids/0'],
    ['location_ids', [2 ** 40], '/location_ids/0'],
    ...['0.01', 1, [], true].map((text): [string, unknown] => ['price', text]),
    ...[
      '',
      '-1',
      '+1',
      '1.',
      '.5',
      '01',
      '1e3',
      '1,5',
      '1.0000001',
      '1234567890',
      ' 1',
      1,
      null,
    ].map((hourly): [string, unknown, string] => ['price', { ...price, hourly }, '/price/hourly']),
    ...['x', '-1', 1, '0.009'].map((monthly): [string, unknown, string] => [
      'price',
      { ...price, monthly },
      '/price/monthly',
    ]),
    ...['eur', 'EURO', '', '€', 1, null].map((currency): [string, unknown, string] => [
      'price',
      { ...price, currency },
      '/price/currency',
    ]),
    ['price', { hourly: '1' }, '/price/currency'],
    ['price', { currency: 'EUR' }, '/price/hourly'],
    ['price', { ...price, yearly: '1' }, '/price/yearly'],
    ['memory', 1],
  ];
  const ofCreate: typeof bad = [
    ...['cpu', 'ram', 'disk'].flatMap((field) =>
      [undefined, null, 0, -1, 1.5, '2', 2 ** 53].map((value): [string, unknown] => [field, value]),
    ),
    ['name', undefined],
    ['deprecated', true],
  ];
  const ofUpdate: typeof bad = [
    ...['cpu', 'ram', 'disk'].map((field): [string, unknown] => [field, 2]),
    ...[null, 'true', 1].map((value): [string, unknown] => ['deprecated', value]),
  ];

  it('for each invalid value, and changes nothing', async () => {
    const { id } = (await make({ name: 'to-refuse' })).json();
    const before = await fingerprintOf(db);
    for (const [field, value, pointer = `/${field}`] of [...bad, ...ofCreate]) {
      const answer = await make({ name: 'refused', [field]: value });
      assert.equal(answer.statusCode, 422, `${field} ${JSON.stringify(value)}: ${answer.body}`);
      assert.deepEqual(pointersOf(answer), [pointer]);
    }
    for (const [field, value, pointer = `/${field}`] of [...bad, ...ofUpdate]) {
      const answer = await change(id, { [field]: value });
      assert.equal(answer.statusCode, 422, `${field} ${JSON.stringify(value)}: ${answer.body}`);
      assert.deepEqual(pointersOf(answer), [pointer]);
    }
    assert.equal(await fingerprintOf(db), before);
  });

  it('if a month would cost less than an hour, which was probably exchanged', async () => {
    const swapped = { hourly: '4.59', monthly: '0.0074', currency: 'EUR' };
    const answer = await make({ name: 'swapped', price: swapped });
    assert.deepEqual(pointersOf(answer), ['/price/monthly']);
    assert.match(answer.json().detail, /Must be at least 4\.59, the price of an hour/);
    const equal = { ...swapped, monthly: '4.590' };
    assert.equal((await make({ name: 'equal', price: equal })).statusCode, 201);
  });

  it('in a currency that does not exist', async () => {
    const answer = await make({ name: 'unknown', price: { hourly: '1', currency: 'ZZZ' } });
    assert.deepEqual(pointersOf(answer), ['/price/currency']);
    assert.match(answer.json().detail, /No currency has the code ZZZ in ISO 4217/);
  });

  it('of those who are no administrators', async () => {
    const { id } = (await make({ name: 'of-others' })).json();
    for (const answer of [
      await ask('POST', '/sizes', { body: { name: 'x', cpu: 1, ram: 1, disk: 1 } }),
      await ask('PATCH', `/sizes/${id}`, { body: { deprecated: true } }),
      await ask('DELETE', `/sizes/${id}`),
    ])
      assert.deepEqual(outcome(answer), [403, 'scope_missing']);
  });
});

describe('a size in use', () => {
  it('is not deleted until its servers are gone, and can be deprecated', async () => {
    const { id } = (await make({ name: 'used' })).json();
    const server = await createOf(id);
    const refused = await remove(id);
    assert.deepEqual(outcome(refused), [409, 'size_in_use']);
    assert.match(refused.json().detail, /^1 server has the size used\. Set `deprecated`/);
    assert.equal((await change(id, { deprecated: true })).statusCode, 200);
    assert.equal((await ask('GET', `/servers/${server}`)).json().size, 'used', 'it keeps it');
    await removeServer(server);
    assert.equal((await remove(id)).statusCode, 200);
  });

  it('counts servers that are being resized to it', async () => {
    const { id } = (await make({ name: 'wanted' })).json();
    const server = await createOf((await make({ name: 'had' })).json().id);
    await whole.finish(server, 'started');
    const resized = await ask('POST', `/servers/${server}/resize`, { body: { size: 'wanted' } });
    assert.equal(resized.statusCode, 202, resized.body);
    assert.deepEqual(outcome(await remove('had')), [409, 'size_in_use']);
    assert.deepEqual(outcome(await remove(id)), [409, 'size_in_use']);
  });

  it('is not deleted while a create is about to use it, and none can use it after that', async () => {
    const { id } = (await make({ name: 'contended' })).json();
    const insert = async () => await createOf(id);
    const server = await insert();
    await removeServer(server);
    const removed = await amid(
      db,
      async (trx) => {
        assert.ok(await findSizeToUse(trx, id));
        const { size_id } = await trx
          .updateTable('servers')
          .set({ size_id: id, deleted_at: null })
          .where('id', '=', server)
          .returning('size_id')
          .executeTakeFirstOrThrow();
        assert.equal(size_id, id);
      },
      () => remove(id),
    );
    assert.deepEqual(outcome(removed), [409, 'size_in_use']);
  });
});

it('the list has the sizes by id, by name, by location, and those in use alone', async () => {
  const elsewhere = await enterLocation('elsewhere');
  const ids: Record<string, number> = {};
  for (const [name, location_ids] of [
    ['list-a', null],
    ['list-b', ['test']],
    ['list-c', [elsewhere]],
    ['list-d', ['test', elsewhere]],
  ] as const)
    ids[name] = (await make({ name, location_ids })).json().id;
  await change('list-a', { deprecated: true });
  await remove((await make({ name: 'list-gone' })).json().id);
  const listed = async (query: string) =>
    (await ask('GET', `/sizes?q=LIST-${query}`)).json().map(({ name }: { name: string }) => name);
  assert.deepEqual(await listed(''), Object.keys(ids));
  assert.deepEqual(await listed('&deprecated=false'), ['list-b', 'list-c', 'list-d']);
  assert.deepEqual(await listed('&deprecated=true'), ['list-a']);
  assert.deepEqual(await listed('&location_id=elsewhere'), ['list-a', 'list-c', 'list-d']);
  assert.deepEqual(await listed('&location_id=test'), ['list-a', 'list-b', 'list-d']);
  assert.deepEqual(await listed('&location_id=test,elsewhere'), Object.keys(ids));
  assert.deepEqual(await listed('&limit=1'), ['list-a']);

  await db
    .transaction()
    .execute((trx) =>
      removeLocationRow(trx, { id: elsewhere, name: 'elsewhere' }, () => undefined),
    );
  const after = (await ask('GET', '/sizes/list-d')).json();
  assert.deepEqual(after.location_ids, [place.locationId], 'a removed location is gone from it');
  assert.deepEqual((await ask('GET', '/sizes/list-c')).json().location_ids, []);
});
