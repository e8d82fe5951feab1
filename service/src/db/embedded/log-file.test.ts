import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { dataDirectory, startInTerminal } from '../../testing/terminal.ts';
import { until } from '../../testing/until.ts';
import { createDb, createPool, type Db } from '../connection.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts';
import { logFileIn, rotateLarge } from './log-file.ts';

const { path: dataDir, processes, remove } = dataDirectory();
const path = logFileIn(dataDir);
const rotated = `${path}.1`;
const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

let postgres: EmbeddedPostgres;
let db: Db;

before(async () => {
  postgres = await startEmbeddedPostgres({ dataDir });
  db = createDb(createPool(postgres.connectionString, { max: 2 }));
});

after(async () => {
  await db.destroy();
  await postgres.stop();
  await remove();
});

async function log(text: string): Promise<void> {
  await sql`do ${sql.lit(`begin raise log '${text}'; end`)}`.execute(db);
}

test('a small log is not rotated', async () => {
  assert.deepEqual(await rotateLarge(db, path), { rotated: 0 });
  assert.equal(existsSync(rotated), false);
});

test('all lines that are written during a rotation are kept, once and in order', async () => {
  const lines = 20_000;
  const loop = `begin for i in 1..${lines} loop raise log 'line % of them', i; end loop; end`;
  const writing = sql`do ${sql.lit(loop)}`.execute(db);
  await until(
    'it writes',
    async () => read(path),
    (text) => text.includes('line 100 of them'),
  );
  assert.deepEqual(await rotateLarge(db, path, 1), { rotated: 1 });
  await writing;
  const whole = async () => read(rotated) + read(path);
  const text = await until('all is written', whole, (all) => all.includes(`line ${lines} of them`));
  const found = [...text.matchAll(/LOG: {2}line (\d+) of them/g)].map(([, line]) => Number(line));
  assert.deepEqual(
    found,
    Array.from({ length: lines }, (_, i) => i + 1),
  );
  await until('there is a new one', async () => existsSync(path), Boolean);
  await log('the next');
  await until(
    'the new log is written',
    async () => read(path),
    (next) => next.includes('the next'),
  );
  for (const file of [path, rotated]) assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('a log that an interrupted rotation has renamed is kept, and a new one is created', async () => {
  await log('before');
  await until(
    'it is written',
    async () => read(path),
    (text) => text.includes('before'),
  );
  const kept = read(rotated);
  rmSync(path);
  assert.deepEqual(await rotateLarge(db, path), { rotated: 1 });
  await until('there is a new one', async () => existsSync(path), Boolean);
  assert.equal(read(rotated), kept);
  await log('after');
  await until(
    'it is written',
    async () => read(path),
    (text) => text.includes('after'),
  );
});

test('a log that can not be read is an error', async () => {
  writeFileSync(`${dataDir}/file`, '');
  await assert.rejects(rotateLarge(db, `${dataDir}/file/postgres.log`), { code: 'ENOTDIR' });
});

test('a service rotates the log of its own PostgreSQL', async () => {
  await db.destroy();
  await postgres.stop();
  rmSync(rotated);
  writeFileSync(path, 'from before\n', { mode: 0o600 });
  // The file is sparse, so it uses no disk space.
  truncateSync(path, 11 * 1024 * 1024);
  const service = await startInTerminal(dataDir, processes);
  await until(
    'it is rotated',
    async () => read(rotated),
    (text) => text.startsWith('from before'),
  );
  await until('there is a new one', async () => existsSync(path), Boolean);
  assert.ok(statSync(path).size < 1024 * 1024);
  assert.match(read(rotated) + read(path), /database system is ready to accept connections/);
  service.ctrlC();
  assert.equal(await service.ended, 0, service.output());
});
