import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { SetupError } from '../../setup/commands.mjs';
import { listenError } from '../../setup/listening.mjs';
import { loadConfig } from './config/config.ts';
import { createDb, createPool } from './db/connection.ts';
import { migrate } from './db/migrate.ts';
import { ProgramFailed } from './images/child.ts';
import { EngineError } from './incus/transport/errors.ts';
import { startError } from './start-errors.ts';
import { createTestDatabase } from './testing/postgres.ts';

const { connectionString, close } = await createTestDatabase();
after(close);

/** The message of a start that failed with this error: what failed, and what to do. */
function said(error: unknown, env: Record<string, string> = {}, map = startError): string {
  const mapped = map(error, loadConfig(env));
  assert.ok(mapped instanceof SetupError, String(mapped));
  return [mapped.message, mapped.output, mapped.wayOut].join('\n');
}

async function listening(port: number, host: string) {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject).listen(port, host, resolve);
  });
  return server;
}

test('a port in use, and an address of another machine', async () => {
  const first = await listening(0, '127.0.0.1');
  const { port } = first.address() as { port: number };
  const taken = await listening(port, '127.0.0.1').catch((error) => error);
  assert.match(
    said(taken, { BERTH_PORT: String(port) }, listenError),
    new RegExp(`${port}.*BERTH_PORT`, 's'),
  );
  first.close();
  const foreign = await listening(0, '192.0.2.1').catch((error) => error);
  assert.match(
    said(foreign, { BERTH_HOST: '192.0.2.1' }, listenError),
    /192\.0\.2\.1.*BERTH_HOST/s,
  );
});

test('an external PostgreSQL that is unavailable, or does not have the database', async () => {
  const away = 'postgresql://berth@127.0.0.1:1/berth';
  const unknown = connectionString.replace(/\/test_\w+/, '/nowhere');
  for (const url of [away, unknown]) {
    const db = createDb(createPool(url, { max: 1 }));
    const error = await migrate(db).catch((cause) => cause);
    await db.destroy();
    assert.match(said(error, { DATABASE_URL: url }), /DATABASE_URL/);
    assert.equal(
      startError(error, loadConfig({})),
      error,
      'errors of the embedded PostgreSQL are not changed',
    );
  }
});

test('an unknown host in DATABASE_URL is not mistaken for BERTH_HOST', async () => {
  const url = 'postgresql://berth@no-such-host.invalid/berth?sslmode=verify-full';
  const db = createDb(createPool(url, { max: 1 }));
  const error = await migrate(db).catch((cause) => cause);
  await db.destroy();
  const words = said(error, { DATABASE_URL: url });
  assert.match(words, /DATABASE_URL/);
  assert.doesNotMatch(words, /BERTH_HOST/);
});

test('an unavailable engine, and a failed build of an image', () => {
  assert.match(said(new EngineError('unreachable', 'Incus is away.')), /Incus is away.*again/s);
  const failed = new ProgramFailed('mmdebstrap', 'ended with status 1', ['E: no mirror']);
  const error = new EngineError('failed', 'The image could not be built.', { cause: failed });
  assert.match(said(error), /could not be built.*E: no mirror.*mirror can be reached/s);
});

test('an unknown host', async () => {
  const unknown = await listening(0, 'no-such-host.invalid').catch((cause) => cause);
  assert.match(said(unknown, { BERTH_HOST: 'no-such-host.invalid' }, listenError), /BERTH_HOST/);
  assert.throws(() => loadConfig({ DATABASE_URL: 'foo' }), SetupError);
});

test('a data directory on a full or read-only disk, also with an external PostgreSQL', () => {
  const dataDir = '/var/lib/berth';
  const full = Object.assign(new Error('ENOSPC: no space left on device'), {
    ...{ code: 'ENOSPC', syscall: 'mkdir', path: dataDir },
  });
  assert.match(said(full, { BERTH_DATA_DIR: dataDir }), /berth is on a disk that is full.*df -h/s);
  const readOnly = Object.assign(new Error('EROFS'), { code: 'EROFS', path: `${dataDir}/key` });
  const env = { BERTH_DATA_DIR: dataDir, DATABASE_URL: 'postgresql://127.0.0.1/berth' };
  assert.match(said(readOnly, env), /read-only.*dmesg/s);
});

test('a PostgreSQL whose disk is full', () => {
  const text = 'could not extend file "base/16385/2606"';
  const full = Object.assign(new Error(text), { code: '53100' });
  const embedded = said(full, { BERTH_DATA_DIR: '/var/lib/berth' });
  assert.match(embedded, /\/var\/lib\/berth is on a disk that is full.*df -h.*start Berth again/s);
  const outside = said(full, { DATABASE_URL: 'postgresql://127.0.0.1/berth' });
  assert.match(outside, /disk of the PostgreSQL of DATABASE_URL is full.*Free disk space/s);
  for (const words of [embedded, outside]) assert.doesNotMatch(words, /extend|base/);
});

test('an unknown error is not changed', () => {
  const error = new TypeError('undefined is not a function');
  assert.equal(startError(error, loadConfig({})), error);
});
