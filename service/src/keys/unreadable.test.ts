import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findReplacedKeys } from '../db/queries.ts';
import { healthRoutes } from '../health/routes.ts';
import { serviceChecks } from '../health/service-checks.ts';
import { createEngines } from '../locations/engines.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { all } from '../reconciler-runtime/define.ts';
import { keepState } from '../sessions/states.ts';
import { createTestApp } from '../testing/app.ts';
import { keptLog } from '../testing/canaries.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { toolOn } from '../testing/tool.ts';
import { keyFile, loadKeys } from './key-file.ts';
import { createKeyring, fingerprintOf, keySha256 } from './keyring.ts';
import { findUnreadable } from './rotation-queries.ts';
import { agreeOnSecretKey } from './secret-key.ts';
import { unreadableSecrets } from './unreadable.ts';

/** An installation with one encrypted value, whose key is then lost and replaced at a start. */
async function withLostKey(t: TestContext) {
  const database = await createTestDatabase();
  t.after(database.close);
  const { db } = database;
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-lost-key-'));
  t.after(() => rm(dataDir, { recursive: true }));
  const start = async () =>
    (await agreeOnSecretKey(db, await loadKeys(dataDir), { dataDir, isOnlyService: true })).keyring;
  // Nothing is encrypted with the key before, which is lost, too.
  await start();
  await rm(keyFile(dataDir));
  const secretKey = await start();
  await keepState(db, secretKey, 'oidc', { nonce: 'x' });
  const lost = await readFile(keyFile(dataDir), 'utf8');
  await rm(keyFile(dataDir));
  return { ...database, dataDir, lost, start };
}

test('values that no key can decrypt degrade the health, are logged, and are a metric', async (t) => {
  const { db, pool, lost, start } = await withLostKey(t);
  const { log, lines } = keptLog();
  const metrics = createMetrics({ db, pools: { requests: pool } }, { ofServers: false });
  const { count, reconciler } = unreadableSecrets(await start(), metrics.encryptedValues);
  assert.equal(count(), 0);
  const { signal } = new AbortController();
  const context = { signal, trigger: () => undefined, recordFailure: assert.ifError };
  const run = async () => await reconciler.run({ db, log }, all, context);
  assert.deepEqual(await run(), { unreadable: 1 });
  assert.deepEqual(await run(), { unreadable: 1 });
  assert.equal(count(), 1);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /cannot be read with any key in secret-key.*add its line to/);
  const missing = fingerprintOf(keySha256(Buffer.from(lost.slice(0, 64), 'hex')));
  assert.deepEqual(JSON.parse(lines[0] ?? '').missing_keys, [missing]);
  assert.match(await metrics.text('text'), /^berth_encrypted_values_unreadable 1$/m);
  const engines = createEngines();
  t.after(() => engines.close());
  const requireRoom = async () => undefined;
  const healthChecks = await serviceChecks(db, { engines, requireRoom, countUnreadable: count });
  const app = await createTestApp(db, [healthRoutes], { healthChecks });
  t.after(() => app.close());
  const answer = await inject(app, { url: '/v1/health' });
  assert.equal(answer.statusCode, 200);
  const { status, checks } = answer.json();
  assert.equal(status, 'degraded');
  const { detail } = checks.find(({ name }: { name: string }) => name === 'secret key');
  assert.match(
    detail,
    /^1 encrypted value cannot be read .* add its line to secret-key\. .*"npm run doctor"/,
  );
});

test('of a value that does not name its key, each key that was replaced may be the missing one', async (t) => {
  const { db, lost, start } = await withLostKey(t);
  const current = { bytes: Buffer.from(lost.slice(0, 64), 'hex'), isBound: false };
  const unbound = createKeyring({ keys: [current], current, sealing: 'unbound' });
  await keepState(db, unbound, 'oidc', { nonce: 'y' });
  const { count, missingKeys } = await findUnreadable(db, await start());
  const replaced = (await findReplacedKeys(db)).map(fingerprintOf);
  assert.equal(replaced.length, 2);
  assert.deepEqual([count, missingKeys.toSorted()], [2, replaced.toSorted()]);
});

test('a rotation reports what it could not decrypt, and does so once the lost key is back', async (t) => {
  const { connectionString, dataDir, lost, start } = await withLostKey(t);
  await start();
  const place = { BERTH_DATA_DIR: dataDir };
  const rotate = () => toolOn(connectionString, 'db', '', place)('rotate-key');
  const without = await rotate();
  assert.equal(without.code, 1, without.stderr);
  assert.match(without.stdout, /^1 value can't be read with any key/);
  assert.doesNotMatch(without.stdout, /^Everything is/m);
  const path = keyFile(dataDir);
  await writeFile(path, `${await readFile(path, 'utf8')}${lost}`);
  const back = await rotate();
  assert.equal(back.code, 0, back.stderr);
  assert.match(back.stdout, /^Everything is encrypted with the new key/);
  const left = await readFile(path, 'utf8');
  assert.equal(left.trim().split('\n').length, 1);
  assert.ok(!left.includes(lost.slice(0, 64)), 'the lost key is not in use again');
});
