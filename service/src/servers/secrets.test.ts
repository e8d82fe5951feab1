import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { operationSecrets } from '../keys/places.ts';
import { testSecretKey } from '../testing/app.ts';
import { allRows } from '../testing/canaries.ts';
import { testKeyring } from '../testing/keys.ts';
import { operationUnderWay } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';
import type { CreateSecrets } from './operations/create-secrets.ts';

const lines: string[] = [];
const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
const { db, ask, create, finish, close } = await createWholeApp({ log });
after(close);

const password = 'Canary-Password-4711';
const command = 'echo Canary-Command-4712';
const argument = 'Canary-Argument-4713';
const userData = '#!/bin/sh\necho Canary-User-Data-4714\n';
const canaries = {
  ...{ password, user_data: userData },
  initialCommands: [command, ['echo', argument]],
};

const hex = (text: string) => Buffer.from(text).toString('hex');

/** These must not be found anywhere: the texts, any hash of a password, and decrypted secrets. */
const secret = new RegExp(
  ['Canary-', hex('Canary-'), Buffer.from('Canary').toString('base64'), '\\$6\\$', '\\$y\\$']
    .concat(['passwordHash', hex('passwordHash'), 'withUserData', hex('withUserData')])
    .join('|'),
);

async function nothingIsFound(): Promise<void> {
  const dump = await allRows(db);
  assert.ok(dump.includes('web-1.example.com'), 'the dump is of the right database');
  assert.doesNotMatch(dump, secret);
  assert.doesNotMatch(lines.join(''), secret);
  const metrics = await ask('GET', '/metrics', { prefix: '' });
  assert.match(metrics.body, /route="\/v1\/servers"/);
  assert.doesNotMatch(metrics.body, secret);
}

test('the secrets of a create are not shown to anyone', async () => {
  const created = await create(canaries, { 'idempotency-key': 'first' });
  assert.equal(created.statusCode, 201);
  const { id } = created.json();
  const operation = await operationUnderWay(db, id);
  const answers = [
    created,
    await create(canaries, { 'idempotency-key': 'first' }),
    await ask('GET', '/servers'),
    await ask('GET', `/servers/${id}`),
    await ask('GET', `/servers/${id}/status`),
    await ask('GET', '/operations'),
    await ask('GET', `/operations/${operation.id}`),
  ];
  for (const { body } of answers) assert.doesNotMatch(body, secret);
  assert.deepEqual(operation.state, { commands: 2, is_first: true });
  await nothingIsFound();
});

test('the secrets of a rebuild are not shown to anyone, and are gone when it has ended', async () => {
  const { id } = (await create({ name: 'rebuilt' })).json();
  await finish(id, 'started');
  const rebuild = (more: object = {}) =>
    ask('POST', `/servers/${id}/rebuild`, { body: { erase: true, ...canaries, ...more } });
  const answers = [
    await rebuild({ user_data: `${userData}\0` }),
    await rebuild({ user_data: 'echo Canary-User-Data-4714' }),
    await rebuild({ user_data: Buffer.from(userData).toString('base64') }),
  ];
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [422, 422, 422],
  );
  answers.push(await rebuild());
  assert.equal(answers.at(-1)?.statusCode, 202);
  const { id: operation, secrets } = await operationUnderWay(db, id);
  assert.ok(secrets);
  const read = testSecretKey.open<CreateSecrets>(operationSecrets(id, operation), secrets);
  assert.equal(read?.withUserData?.userData, userData);
  for (const path of [`/servers/${id}/status`, `/operations/${operation}`, '/audit']) {
    answers.push(await ask('GET', path));
  }
  for (const { body } of answers) assert.doesNotMatch(body, secret);
  await nothingIsFound();
  await finish(id, 'started');
  const kept = db.selectFrom('operations').select('id').where('secrets', 'is not', null);
  assert.deepEqual(await kept.where('server_id', '=', id).execute(), []);
});

test('an error does not repeat the value that it refuses', async () => {
  const long = `${password}${'x'.repeat(200)}`;
  for (const more of [
    { ...canaries, password: long },
    { ...canaries, password: `${password}\0` },
    { ...canaries, password: [password] },
    { ...canaries, initialCommands: command },
    { ...canaries, initialCommands: [{ run: command }] },
    { ...canaries, initialCommands: [`${command}\0`] },
    { ...canaries, user_data: `${userData}\0` },
    { ...canaries, user_data: `echo Canary-User-Data-4714` },
    { ...canaries, user_data: [userData] },
    { ...canaries, user_data: userData.padEnd(64 * 1024 + 1, '#') },
    { ...canaries, user_data: Buffer.from(userData).toString('base64') },
    { ...canaries, user_data: gzipSync(userData).subarray(0, -1).toString('base64') },
    { ...canaries, cpu: password },
    { ...canaries, cpu: 99 },
    { ...canaries, os_id: 4711 },
    { ...canaries, name: '-' },
  ]) {
    const answer = await create(more);
    assert.equal(answer.statusCode, 422);
    assert.doesNotMatch(answer.body, secret);
  }
  const headers = { 'content-type': 'application/json' };
  for (const text of [`{"password": "${password}", `, `{"password": ${password}}`]) {
    const answer = await ask('POST', '/servers', { body: text, ...headers });
    assert.equal(answer.statusCode, 400);
    assert.doesNotMatch(answer.body, secret);
  }
  await create(canaries, { 'idempotency-key': 'second' });
  const mismatch = await create({ ...canaries, cpu: 2 }, { 'idempotency-key': 'second' });
  assert.equal(mismatch.statusCode, 422);
  assert.doesNotMatch(mismatch.body, secret);
  await nothingIsFound();
});

test('only the worker can read the secrets, and only until the create has ended', async () => {
  const { id } = (await create(canaries)).json();
  const { id: operation, secrets } = await operationUnderWay(db, id);
  assert.ok(secrets);
  const place = operationSecrets(id, operation);
  assert.equal(testKeyring(Buffer.alloc(32, 8)).open(place, secrets), undefined);
  assert.equal(testSecretKey.open(operationSecrets(id + 1, operation), secrets), undefined);
  const other = operationSecrets(id, operation + 1);
  assert.equal(
    testSecretKey.open(other, secrets),
    undefined,
    'another operation of the same server',
  );
  const read = testSecretKey.open<CreateSecrets>(place, secrets)?.withUserData;
  assert.match(read?.login.passwordHash ?? '', /^\$6\$/);
  assert.deepEqual(read?.commands, canaries.initialCommands);
  assert.equal(read?.userData, userData);
  await finish(id, 'started');
  const second = (await create(canaries)).json();
  await ask('DELETE', `/servers/${second.id}`);
  const kept = await db
    .selectFrom('operations')
    .select('id')
    .where('server_id', 'in', [id, second.id])
    .where('secrets', 'is not', null)
    .execute();
  assert.deepEqual(kept, []);
});

test('two servers with the same password have different hashes', async () => {
  const hashes = await Promise.all(
    [1, 2].map(async () => {
      const { id } = (await create(canaries)).json();
      const { id: operation, secrets } = await operationUnderWay(db, id);
      const place = operationSecrets(id, operation);
      const read = secrets && testSecretKey.open<CreateSecrets>(place, secrets);
      return read?.withUserData?.login.passwordHash;
    }),
  );
  assert.equal(new Set(hashes).size, 2);
});
