import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { SetupError } from '../../setup/commands.mjs';
import { loadConfig } from './config/config.ts';
import { createDb, createPool } from './db/connection.ts';
import { migrate } from './db/migrate.ts';
import { ProgramFailed } from './images/child.ts';
import { EngineError } from './incus/transport/errors.ts';
import { listenError, startError } from './start-errors.ts';
import { createTestDatabase } from './testing/postgres.ts';

const { connectionString, close } = await createTestDatabase();
after(close);

/** What a start that met this error says: what failed, and the way out. */
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

test('a port that is taken, and an address that is not ours', async () => {
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

test('an outside PostgreSQL that is away, or lets nobody in', async () => {
  const away = 'postgresql://berth@127.0.0.1:1/berth';
  const unknown = connectionString.replace(/\/test_\w+/, '/nowhere');
  for (const url of [away, unknown]) {
    const db = createDb(createPool(url, { max: 1 }));
    const error = await migrate(db).catch((cause) => cause);
    await db.destroy();
    assert.match(said(error, { DATABASE_URL: url }), /DATABASE_URL/);
    assert.equal(startError(error, loadConfig({})), error, 'the embedded one has words of its own');
  }
});

test('a host of DATABASE_URL that nobody knows is not taken for BERTH_HOST', async () => {
  const url = 'postgresql://berth@no-such-host.invalid/berth?sslmode=verify-full';
  const db = createDb(createPool(url, { max: 1 }));
  const error = await migrate(db).catch((cause) => cause);
  await db.destroy();
  const words = said(error, { DATABASE_URL: url });
  assert.match(words, /DATABASE_URL/);
  assert.doesNotMatch(words, /BERTH_HOST/);
});

test('the engine, and a program that builds an image', () => {
  assert.match(said(new EngineError('unreachable', 'Incus is away.')), /Incus is away.*again/s);
  const failed = new ProgramFailed('mmdebstrap', 'ended with status 1', ['E: no mirror']);
  const error = new EngineError('failed', 'The image could not be built.', { cause: failed });
  assert.match(said(error), /could not be built.*E: no mirror.*mirror can be reached/s);
});

test('a host that nobody knows', async () => {
  const unknown = await listening(0, 'no-such-host.invalid').catch((cause) => cause);
  assert.match(said(unknown, { BERTH_HOST: 'no-such-host.invalid' }, listenError), /BERTH_HOST/);
  assert.throws(() => loadConfig({ DATABASE_URL: 'foo' }), SetupError);
});

test('a data directory on a disk that is full or read-only, with an outside PostgreSQL, too', () => {
  const dataDir = '/var/lib/berth';
  const full = Object.assign(new Error('ENOSPC: no space left on device'), {
    ...{ code: 'ENOSPC', syscall: 'mkdir', path: dataDir },
  });
  assert.match(said(full, { BERTH_DATA_DIR: dataDir }), /berth is on a disk that is full.*df -h/s);
  const readOnly = Object.assign(new Error('EROFS'), { code: 'EROFS', path: `${dataDir}/key` });
  const env = { BERTH_DATA_DIR: dataDir, DATABASE_URL: 'postgresql://127.0.0.1/berth' };
  assert.match(said(readOnly, env), /read-only.*dmesg/s);
});

test('what nobody foresaw stays as it is', () => {
  const error = new TypeError('undefined is not a function');
  assert.equal(startError(error, loadConfig({})), error);
});
