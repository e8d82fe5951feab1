import assert from 'node:assert/strict';
import { createCipheriv, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { listenForNotifications, type NotificationListener } from '../db/notifications.ts';
import { Project } from '../db/project.ts';
import { findSealing } from '../db/queries.ts';
import { ensureIdentity } from '../location-setup/make-identity.ts';
import { loadIdentity } from '../locations/identity.ts';
import { createServer, sealSecrets } from '../servers/creation/create.ts';
import { keepState, takeState } from '../sessions/states.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { serverBody } from '../testing/servers.ts';
import { toolOn } from '../testing/tool.ts';
import { until } from '../testing/until.ts';
import { keyFile, loadKeys, newKey, writeKeyFile } from './key-file.ts';
import { createKeyring, type Keyring, keySha256 } from './keyring.ts';
import { answerSecret, operationSecrets, webhookSecrets } from './places.ts';
import { rotateKey } from './rotation.ts';
import { agreeOnSecretKey, announcement, followKeys } from './secret-key.ts';

const database = await createTestDatabase();
const { db, connectionString } = database;
after(database.close);
const place = await installation(db);
const dataDir = mkdtempSync(join(tmpdir(), 'berth-rotation-'));
after(() => rmSync(dataDir, { recursive: true }));
const log = pino({ level: 'silent' });
const shared = { dataDir, isOnlyService: false };
const quiet = () => undefined;
/** A generous timeout for slow machines. */
const patient = { db, dataDir, say: quiet, patienceMs: 90_000, steadyMs: 0 };
const fingerprint = 'idempotency_keys.request_hmac';

/** The keyring of a service that starts now. */
const start = async () => (await agreeOnSecretKey(db, await loadKeys(dataDir), shared)).keyring;

/** A running service, which announces its keys until it stops. */
async function running({ connectionString: url }: TestDatabase, directory = dataDir) {
  const keys = await loadKeys(directory);
  const { keyring } = await agreeOnSecretKey(db, keys, { ...shared, dataDir: directory });
  const listener = listenForNotifications(url, log, { announce: () => announcement(keyring) });
  await untilHeard(listener);
  const leaving = new AbortController();
  const following = followKeys({ keyring, db, dataDir: directory, log }, leaving.signal);
  const stop = async () => {
    leaving.abort();
    await Promise.all([following, listener.close()]);
  };
  return { keyring, stop };
}

/** Waits for its connection, with which it announces its keys. */
async function untilHeard(listener: NotificationListener): Promise<void> {
  await until('notifications arrive', () => listener.isUpToDate());
}

/** Creates one value of each sealed column. Returns functions that read them. */
async function enterSecrets(keyring: Keyring) {
  const body = { ...serverBody(place), name: `s${randomBytes(4).toString('hex')}` };
  const made = body as unknown as Parameters<typeof createServer>[2];
  const sealed = await sealSecrets(made, keyring, 'a test');
  const { serverId, operation } = await db
    .transaction()
    .execute((trx) => createServer(trx, new Project(trx, place.projectId), made, sealed));
  const { clientKey } = await ensureIdentity(db, keyring);
  const key = randomBytes(4).toString('hex');
  const state = await keepState(db, keyring, 'oidc', { nonce: key });
  const secret = keyring.seal(answerSecret('token:1', key), { token: key });
  const values = { caller: 'token:1', key, status: 201, headers: '{}', body: '{}', secret };
  const request_hmac = keyring.mac(fingerprint, key);
  await db
    .insertInto('idempotency_keys')
    .values({ ...values, request_hmac, created_at: new Date() })
    .execute();
  const { id: webhook } = await db
    .insertInto('webhooks')
    .values({
      ...{ project_id: place.projectId, name: key, url: '', types: [], header_names: [] },
      label_selector: '',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const ofWebhook = keyring.seal(webhookSecrets(webhook), { current: key });
  await db.updateTable('webhooks').set({ secrets: ofWebhook }).where('id', '=', webhook).execute();
  return async (reader: Keyring, isLast = false) => {
    const row = await db
      .selectFrom('operations')
      .select('secrets')
      .where('id', '=', operation.id)
      .executeTakeFirstOrThrow();
    const opened = reader.open<object>(
      operationSecrets(serverId, operation.id),
      row.secrets ?? Buffer.alloc(0),
    );
    assert.ok(opened && 'passwordHash' in opened, 'the secrets of a create');
    assert.equal((await loadIdentity(db, reader))?.clientKey, clientKey, 'the key of the client');
    const answer = await db
      .selectFrom('idempotency_keys')
      .select(['secret', 'request_hmac'])
      .where('key', '=', key)
      .executeTakeFirstOrThrow();
    const sealed = answer.secret ?? Buffer.alloc(0);
    assert.deepEqual(reader.open(answerSecret('token:1', key), sealed), { token: key });
    const { secrets } = await db
      .selectFrom('webhooks')
      .select('secrets')
      .where('id', '=', webhook)
      .executeTakeFirstOrThrow();
    const read = reader.open(webhookSecrets(webhook), secrets ?? Buffer.alloc(0));
    assert.deepEqual(read, { current: key }, 'the secrets of a webhook');
    assert.ok(reader.isMac(fingerprint, key, answer.request_hmac), 'the fingerprint of a request');
    if (!isLast) return;
    assert.deepEqual(await takeState(db, reader, 'oidc', state), { nonce: key }, 'a sign-in');
  };
}

const ageAnswers = () =>
  sql`update idempotency_keys set created_at = now() - interval '25 hours'`.execute(db);

/** Runs a rotation until it has printed so many lines, as if it had been killed then. */
async function cutOffAfter(words: number, more: { again?: boolean } = {}): Promise<boolean> {
  let said = 0;
  const say = () => {
    said += 1;
    if (said === words) throw new Error('cut off');
  };
  const [end] = await Promise.allSettled([rotateKey({ ...patient, ...more, say })]);
  if (end.status === 'fulfilled') return false;
  assert.match(String(end.reason), /cut off/);
  return true;
}

test('after an interruption at any point everything can be read, and the next run continues', async () => {
  const before = await start();
  let cuts = 0;
  for (let words = 1; ; words += 1) {
    const old = await start();
    const read = await enterSecrets(old);
    const wasCutOff = await cutOffAfter(words);
    // A service that starts now reads the values, and writes more.
    const amid = await start();
    await read(amid);
    const readMore = await enterSecrets(amid);
    assert.equal((await rotateKey(patient)).left, 'macs');
    const later = await start();
    await read(later, true);
    await readMore(later, true);
    const { current } = later.state;
    assert.notDeepEqual(current, old.state.current);
    const alone = createKeyring({ keys: [current], current, sealing: 'bound' });
    assert.ok(await loadIdentity(db, alone), 'with the new key alone');
    await ageAnswers();
    assert.equal((await rotateKey(patient)).left, 'nothing');
    assert.deepEqual(await loadKeys(dataDir), [current]);
    assert.ok(await loadIdentity(db, await start()));
    await db.deleteFrom('operations').execute();
    if (!wasCutOff) break;
    cuts += 1;
  }
  assert.ok(cuts >= 5, `${cuts} points`);
  assert.equal(await loadIdentity(db, before), undefined, 'the first key can not read any value');
});

test('running services continue to read and write with the new key', async (t) => {
  const services = [await running(database), await running(database)];
  t.after(() => Promise.all(services.map(({ stop }) => stop())));
  let isOver = false;
  const reads: Awaited<ReturnType<typeof enterSecrets>>[] = [];
  const working = (async () => {
    for (let turn = 0; !isOver || turn < 4; turn += 1) {
      const [writer, reader] = [services[turn % 2], services[(turn + 1) % 2]];
      if (!writer || !reader) throw new Error('There are two.');
      const read = await enterSecrets(writer.keyring);
      await read(reader.keyring);
      reads.push(read);
      await sleep(50);
    }
  })();
  const old = await start();
  await Promise.race([working, rotateKey(patient)]);
  isOver = true;
  await working;
  for (const { keyring } of services) {
    assert.notDeepEqual(keyring.state.current, old.state.current);
    for (const read of reads) await read(keyring);
  }
  await ageAnswers();
  assert.equal((await rotateKey(patient)).left, 'nothing');
  await db.deleteFrom('operations').execute();
});

test('a service that does not know the new key delays the rotation, and loses nothing', async (t) => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'berth-elsewhere-'));
  t.after(() => rmSync(elsewhere, { recursive: true }));
  await writeKeyFile(keyFile(elsewhere), await loadKeys(dataDir));
  const here = await running(database);
  const there = await running(database, elsewhere);
  t.after(() => Promise.all([here.stop(), there.stop()]));
  const { sha256 } = await findSealing(db);
  // The service here may also be slow to load the new key.
  const impatient = { ...patient, patienceMs: 4000 };
  await assert.rejects(rotateKey(impatient), /[12] of them do not/);
  assert.deepEqual((await findSealing(db)).sha256, sha256, 'the old key is in use');
  const read = await enterSecrets(there.keyring);
  await read(here.keyring);
  await writeKeyFile(keyFile(elsewhere), await loadKeys(dataDir));
  await rotateKey(patient);
  await read(there.keyring);
  await ageAnswers();
  assert.equal((await rotateKey(patient)).left, 'nothing');
  await Promise.all([here.stop(), there.stop()]);
  // The file of the other service has the old key, which is not mistaken for a new one.
  const [retired, current] = await loadKeys(elsewhere);
  assert.deepEqual(await loadKeys(dataDir), [current]);
  assert.equal((await rotateKey({ ...patient, dataDir: elsewhere })).left, 'nothing');
  const [last, ...more] = await loadKeys(elsewhere);
  assert.ok(last && retired && !last.bytes.equals(retired.bytes));
  assert.deepEqual(more, []);
  await writeKeyFile(keyFile(dataDir), [last]);
  await db.deleteFrom('operations').execute();
});

test('a service that is reconnecting is waited for', async (t) => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'berth-elsewhere-'));
  t.after(() => rmSync(elsewhere, { recursive: true }));
  await writeKeyFile(keyFile(elsewhere), await loadKeys(dataDir));
  const { sha256 } = await findSealing(db);
  const rotating = rotateKey({ ...patient, patienceMs: 15_000, steadyMs: 15_000 });
  const outcome = assert.rejects(rotating, /1 of them do not/);
  const there = await running(database, elsewhere);
  await outcome;
  await there.stop();
  assert.deepEqual((await findSealing(db)).sha256, sha256);
  assert.equal((await rotateKey(patient)).left, 'nothing');
});

test('a service of the previous release delays the rotation', async () => {
  const old = listenForNotifications(connectionString, log);
  await untilHeard(old);
  await assert.rejects(rotateKey({ ...patient, patienceMs: 500 }), {
    wayOut: /previous release\. Upgrade all services/,
  });
  await old.close();
});

test('values of the previous release are bound to their place, and no longer read otherwise', async () => {
  const [{ bytes } = newKey()] = await loadKeys(dataDir);
  const state = { secret_key_sha256: keySha256(bytes), rotated_from_sha256: null };
  await db
    .updateTable('installation')
    .set({ ...state, sealing: 'unbound' })
    .execute();
  await writeKeyFile(keyFile(dataDir), [{ bytes, isBound: false }]);
  const unbound = await start();
  assert.equal(unbound.state.sealing, 'unbound');
  const read = await enterSecrets(unbound);
  const { secret, request_hmac } = await db
    .selectFrom('idempotency_keys')
    .select(['secret', 'request_hmac'])
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  assert.ok(secret && secret.length < 70 && request_hmac.length === 32);
  assert.equal((await rotateKey(patient)).left, 'macs');
  assert.equal((await findSealing(db)).sealing, 'mixed');
  await read(await start());
  await ageAnswers();
  assert.equal((await rotateKey(patient)).left, 'nothing');
  const bound = await start();
  assert.deepEqual([bound.state.sealing, bound.state.current.isBound], ['bound', true]);
  assert.ok(await loadIdentity(db, bound));
  await db.deleteFrom('operations').execute();
});

test('a value that no key can decrypt stays, and does not delay the others', async () => {
  const keyring = await start();
  const body = serverBody(place) as unknown as Parameters<typeof createServer>[2];
  const sealed = await sealSecrets(body, keyring, 'a test');
  const { operation } = await db
    .transaction()
    .execute((trx) => createServer(trx, new Project(trx, place.projectId), body, sealed));
  const cipher = createCipheriv('aes-256-gcm', randomBytes(32), randomBytes(12));
  const lost = Buffer.concat([randomBytes(28), cipher.update('x'), cipher.final()]);
  const of = () => db.updateTable('operations').where('id', '=', operation.id);
  await of().set({ secrets: lost }).execute();
  const said: string[] = [];
  await rotateKey({ ...patient, say: (text) => void said.push(text) });
  assert.match(said.join('\n'), /1 values can't be read with any key/);
  assert.ok(await loadIdentity(db, await start()));
  await of().set({ secrets: null }).execute();
});

test('the command rotates, prints what is left, and can be repeated', async () => {
  await ageAnswers();
  const before = await loadKeys(dataDir);
  const run = toolOn(connectionString, 'db', '', { BERTH_DATA_DIR: dataDir });
  const { code, stdout, stderr } = await run('rotate-key');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Everything is encrypted with the new key, and \S+ has that alone/);
  assert.match(stderr, /The new key is in use/);
  const after = await loadKeys(dataDir);
  assert.deepEqual([before.length, after.length], [1, 1]);
  assert.notDeepEqual(before, after);
  for (const key of [...before, ...after]) {
    assert.ok(!`${stdout}${stderr}`.includes(key.bytes.toString('hex')));
  }
  assert.equal((await run('rotate-key', 'more')).code, 2);
  const stray = toolOn(connectionString, 'db', '', {
    BERTH_DATA_DIR: mkdtempSync(join(dataDir, 'x-')),
  });
  assert.equal((await stray('rotate-key')).code, 1);
});

test('the command says that it has made no new key while a rotation has not finished, and makes one on demand', async () => {
  const keyring = await start();
  const read = await enterSecrets(keyring);
  const run = toolOn(connectionString, 'db', '', { BERTH_DATA_DIR: dataDir });
  const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
  const first = await run('rotate-key');
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /^Everything is encrypted with the new key\. Keep a copy/);
  assert.match(first.stdout, new RegExp(`The old key stays in it until ${time}:`));
  const keys = await loadKeys(dataDir);
  assert.equal(keys.length, 2);

  const second = await run('rotate-key');
  assert.equal(second.code, 1, second.stderr);
  const none = `^No new key was made, because the rotation of ${time} has not finished\\.`;
  assert.match(second.stdout, new RegExp(none));
  assert.match(second.stdout, /Everything is encrypted with the key of that rotation\./);
  assert.match(second.stdout, new RegExp(`until ${time}:[^]*rotate-key --again`));
  assert.deepEqual(await loadKeys(dataDir), keys);

  const readMore = await enterSecrets(await start());
  const forced = await run('rotate-key', '--again');
  assert.equal(forced.code, 0, forced.stderr);
  assert.match(forced.stdout, /^Everything is encrypted with the new key\. Keep a copy/);
  const [oldest, leaked, newest, ...others] = await loadKeys(dataDir);
  assert.deepEqual([[oldest, leaked], others], [keys, []]);
  const after = await start();
  assert.deepEqual(after.state.current, newest);
  for (const reading of [read, readMore]) await reading(after, true);

  await ageAnswers();
  const last = await run('rotate-key');
  assert.equal(last.code, 0, last.stderr);
  assert.match(
    last.stdout,
    new RegExp(`^No new key was made: this run finished the rotation of ${time}\\.`),
  );
  assert.deepEqual(await loadKeys(dataDir), [newest]);
  await db.deleteFrom('operations').execute();
});

test('a second rotation that is cut off before the end of the first loses nothing', async () => {
  const read = await enterSecrets(await start());
  assert.equal((await rotateKey(patient)).left, 'macs');
  const before = await loadKeys(dataDir);
  const readMore = await enterSecrets(await start());
  // The file has three keys then, and the database does not use the last one.
  assert.ok(await cutOffAfter(1, { again: true }));
  const cutOff = await loadKeys(dataDir);
  assert.deepEqual(cutOff.slice(0, 2), before);
  assert.deepEqual((await start()).state.current, before[1]);
  const { isNew } = await rotateKey({ ...patient, again: true });
  assert.ok(isNew);
  assert.deepEqual(await loadKeys(dataDir), cutOff);
  const later = await start();
  assert.deepEqual(later.state.current, cutOff[2]);
  for (const reading of [read, readMore]) await reading(later, true);
  await ageAnswers();
  assert.equal((await rotateKey(patient)).left, 'nothing');
  assert.deepEqual(await loadKeys(dataDir), [cutOff[2]]);
  await db.deleteFrom('operations').execute();
});
