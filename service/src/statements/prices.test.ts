import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Statement } from '@berth/contract/statements';
import { sql } from 'kysely';
import { markServerDeleted, setServerResized } from '../servers/worker-queries.ts';
import { createTestToken } from '../testing/app.ts';
import { setDatabaseClock } from '../testing/clock.ts';
import { createTestProject } from '../testing/people.ts';
import { enterServer } from '../testing/servers.ts';
import { enterSize } from '../testing/sizes.ts';
import { createAppWithClock } from '../testing/statements.ts';

// Tests what servers cost on statements. Each test has a project of its own, and its times are those of November.

const { db, place, ask, close } = await createAppWithClock();
after(close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });

const at = (day: number, hour = 0) => {
  const time = new Date(Date.UTC(2026, 10, day, hour));
  return setDatabaseClock(db, time);
};

interface Price {
  hourly: string;
  monthly?: string | null;
  currency?: string;
}

async function change(id: number, price: Price | null): Promise<void> {
  const body = { price: price && { currency: 'EUR', ...price } };
  const answer = await ask('PATCH', `/sizes/${id}`, { body, ...admin });
  assert.equal(answer.statusCode, 200, answer.body);
}

/** A size with this price from now on. */
async function sizeAt(name: string, price: Price | null): Promise<number> {
  const id = await enterSize(db, { name });
  if (price) await change(id, price);
  return id;
}

async function create(projectId: number, sizeId: number | null): Promise<number> {
  const server = await enterServer(db, { ...place, projectId }, { hostname: `of-${sizeId}` });
  await setSize(server, sizeId);
  return server;
}

/** Gives a server a size like the worker of a resize. */
async function setSize(server: number, sizeId: number | null): Promise<void> {
  await sql`update servers set resizing_size_id = ${sizeId} where id = ${server}`.execute(db);
  const size = { cpu: 1, ramMb: 256, diskGb: 2 };
  await db.transaction().execute((trx) => setServerResized(trx, server, size));
}

async function statementOf(projectId: number, month: string): Promise<Statement> {
  const path = `/projects/${projectId}/statement?month=${month}`;
  const answer = await ask('GET', path, admin);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json();
}

const eur = (amount: string) => [{ currency: 'EUR', amount }];
const charged = ({ servers }: Statement) =>
  servers.map(({ charges }) => charges.map(({ size, hours, amount }) => [size, hours, amount]));

test('a price applies from its change on, and past hours keep theirs', async () => {
  const projectId = await createTestProject(db, 'changes');
  await at(1);
  const size = await sizeAt('changing', { hourly: '0.01' });
  await create(projectId, size);
  await at(2);
  await change(size, { hourly: '0.02' });
  await at(3);
  const before = await statementOf(projectId, '2026-11');
  assert.deepEqual(charged(before), [
    [
      ['changing', 24, '0.24'],
      ['changing', 24, '0.48'],
    ],
  ]);
  assert.deepEqual([before.servers[0]?.prices, before.prices], [eur('0.72'), eur('0.72')]);
  await change(size, { hourly: '5' });
  assert.deepEqual(await statementOf(projectId, '2026-11'), before);
  await at(3, 1);
  const after = await statementOf(projectId, '2026-11');
  assert.deepEqual(charged(after)[0]?.at(-1), ['changing', 1, '5.00']);
  await change(size, null);
  await at(4);
  const last = await statementOf(projectId, '2026-11');
  assert.deepEqual([last.prices, last.servers[0]?.hours], [eur('5.72'), 72]);
});

test('the same price again begins no other period', async () => {
  await at(1);
  const size = await sizeAt('same', { hourly: '0.01', monthly: '5' });
  await at(2);
  await change(size, { hourly: '0.01', monthly: '5' });
  const count = async () =>
    (await db.selectFrom('size_prices').where('size_id', '=', size).select('id').execute()).length;
  assert.equal(await count(), 1);
  await change(size, { hourly: '0.01' });
  assert.equal(await count(), 2);
});

test('a month costs its price at most, and each month anew', async () => {
  const projectId = await createTestProject(db, 'limited');
  await at(1);
  const size = await sizeAt('limited', { hourly: '0.01', monthly: '5' });
  await create(projectId, size);
  await at(21, 20);
  const whole = charged(await statementOf(projectId, '2026-11'));
  assert.deepEqual(whole, [[['limited', 500, '5.00']]]);
  await at(32, 12);
  assert.deepEqual(charged(await statementOf(projectId, '2026-11')), [[['limited', 720, '5.00']]]);
  assert.deepEqual(charged(await statementOf(projectId, '2026-12')), [[['limited', 36, '0.36']]]);
});

test('a price that ended at the turn of the month is on the statement of that month alone', async () => {
  const projectId = await createTestProject(db, 'turn');
  await at(30);
  const size = await sizeAt('turning', { hourly: '0.01' });
  await create(projectId, size);
  await at(31);
  await change(size, { hourly: '1' });
  await at(31, 2);
  assert.deepEqual(charged(await statementOf(projectId, '2026-11')), [[['turning', 24, '0.24']]]);
  assert.deepEqual(charged(await statementOf(projectId, '2026-12')), [[['turning', 2, '2.00']]]);
});

test('a resized server costs the price of each size while it has that, whether it runs or not', async () => {
  const projectId = await createTestProject(db, 'resized');
  await at(1);
  const small = await sizeAt('smaller', { hourly: '0.01' });
  const large = await sizeAt('larger', { hourly: '0.1', currency: 'USD' });
  const server = await create(projectId, small);
  await at(2);
  await setSize(server, large);
  await sql`update servers set real_status = 'stopped' where id = ${server}`.execute(db);
  await at(3);
  await setSize(server, null);
  await at(4);
  await setSize(server, small);
  await at(4, 6);
  const statement = await statementOf(projectId, '2026-11');
  const [shown] = statement.servers;
  assert.deepEqual(charged(statement), [
    [
      ['smaller', 30, '0.30'],
      ['larger', 24, '2.40'],
    ],
  ]);
  assert.deepEqual([shown?.size, shown?.hours, shown?.hours_running], ['smaller', 78, 24]);
  assert.deepEqual(shown?.prices, [...eur('0.30'), { currency: 'USD', amount: '2.40' }]);
  assert.deepEqual(statement.prices, shown?.prices);
});

test('the sum of a statement is that of its servers, with deleted ones and those without a price', async () => {
  const projectId = await createTestProject(db, 'sums');
  await at(1);
  const size = await sizeAt('summed', { hourly: '0.0033' });
  const free = await sizeAt('free', null);
  const gone = await create(projectId, size);
  for (const one of [size, size, free, null]) await create(projectId, one);
  await at(1, 1);
  await db.transaction().execute((trx) => markServerDeleted(trx, gone));
  await at(1, 3);
  const statement = await statementOf(projectId, '2026-11');
  const sums = statement.servers.map(({ prices }) => prices.map(({ amount }) => amount));
  assert.deepEqual(sums, [['0.0033'], ['0.0099'], ['0.0099'], [], []]);
  assert.deepEqual(statement.prices, eur('0.0231'));
  assert.deepEqual(
    statement.servers.map(({ size: shown }) => shown),
    ['summed', 'summed', 'summed', 'free', null],
  );
});

test('the CSV file has the size and the prices of each server, and no charges', async () => {
  const projectId = await createTestProject(db, 'table');
  await at(1);
  const one = await sizeAt('in-euros', { hourly: '0.5' });
  const other = await sizeAt('in-dollars', { hourly: '0.25', currency: 'USD' });
  const server = await create(projectId, one);
  await create(projectId, null);
  await at(1, 2);
  await setSize(server, other);
  await at(1, 4);
  const path = `/projects/${projectId}/statement.csv?month=2026-11`;
  const [head, ...lines] = (await ask('GET', path, admin)).body.trimEnd().split('\r\n');
  assert.match(head ?? '', /,labels,size,prices$/);
  assert.match(lines[0] ?? '', /,,in-dollars,EUR=1\.00 USD=0\.50$/);
  assert.match(lines[1] ?? '', /,,,$/);
});

test('a deleted size stays on the statements of the servers that had it', async () => {
  const projectId = await createTestProject(db, 'of-deleted-sizes');
  await at(1);
  const size = await sizeAt('dying', { hourly: '0.01' });
  const server = await create(projectId, size);
  await at(1, 1);
  await db.transaction().execute((trx) => markServerDeleted(trx, server));
  const deleted = await ask('DELETE', `/sizes/${size}`, admin);
  assert.equal(deleted.statusCode, 200, deleted.body);
  await at(2);
  const statement = await statementOf(projectId, '2026-11');
  assert.deepEqual(charged(statement), [[['dying', 1, '0.01']]]);
  assert.equal(statement.servers[0]?.size, 'dying');
});

test('a clock that was set back makes no price begin before the previous one', async () => {
  const projectId = await createTestProject(db, 'set-back');
  await at(2);
  const size = await sizeAt('set-back', { hourly: '0.01' });
  await create(projectId, size);
  await at(1);
  await change(size, { hourly: '0.02' });
  await at(3);
  assert.deepEqual(charged(await statementOf(projectId, '2026-11')), [[['set-back', 24, '0.48']]]);
});
