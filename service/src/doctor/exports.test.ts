import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestDatabase } from '../testing/postgres.ts';
import { recordedExportFinding } from './exports.ts';

const now = new Date('2026-03-04T05:06:07Z');

test('the time of the last export is read from the database, regardless of its directory', async (t) => {
  const { db, connectionString: databaseUrl, close } = await createTestDatabase();
  t.after(close);
  const look = () => recordedExportFinding({ databaseUrl, dataDir: '/x' }, { isKnown: true, now });
  assert.equal((await look()).state, 'note');
  const exported = async (exported_at: string) => {
    await db.updateTable('installation').set({ exported_at }).execute();
    return await look();
  };
  const fresh = await exported('2026-03-03T05:06:07Z');
  assert.deepEqual([fresh.state, /2026-03-03T05:06:07Z/.test(fresh.says)], ['ok', true]);
  const old = await exported('2026-03-01T05:06:07Z');
  assert.deepEqual([old.state, / 72 hours ago$/.test(old.says)], ['problem', true]);
  assert.match(old.wayOut ?? '', /npm run db -- backup/);
});

test('while the database does not run, the last export is unknown', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'berth-doctor-exports-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const look = () =>
    recordedExportFinding({ databaseUrl: undefined, dataDir }, { isKnown: true, now });
  assert.match((await look()).says, /there is no database$/);
  mkdirSync(join(dataDir, 'postgres'));
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '18\n');
  const stopped = await look();
  const says = 'not known while the database is stopped';
  assert.deepEqual(stopped, { what: 'exports', state: 'note', says });
});

test('a database that could not be queried is not reported as stopped', async () => {
  const place = { databaseUrl: 'postgresql://nobody@127.0.0.1:1/none', dataDir: '/x' };
  const found = await recordedExportFinding(place, { isKnown: false, now });
  const says = 'not known: the database could not be asked';
  assert.deepEqual(found, { what: 'exports', state: 'note', says });
});
