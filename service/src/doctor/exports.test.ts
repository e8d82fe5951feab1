import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestDatabase } from '../testing/postgres.ts';
import { notedExportFinding } from './exports.ts';

const now = new Date('2026-03-04T05:06:07Z');

test('the last export is known from the database, wherever it was written to', async (t) => {
  const { db, connectionString: databaseUrl, close } = await createTestDatabase();
  t.after(close);
  const look = () => notedExportFinding({ databaseUrl, dataDir: '/x' }, { isKnown: true, now });
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

test('while the database does not run, the last export is not known', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'berth-doctor-exports-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const look = () =>
    notedExportFinding({ databaseUrl: undefined, dataDir }, { isKnown: true, now });
  assert.match((await look()).says, /there is no database$/);
  mkdirSync(join(dataDir, 'postgres'));
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '18\n');
  const stopped = await look();
  const says = 'not known while the database is stopped';
  assert.deepEqual(stopped, { what: 'exports', state: 'note', says });
});

test('of a database that could not be asked, it is not said that it is stopped', async () => {
  const place = { databaseUrl: 'postgresql://nobody@127.0.0.1:1/none', dataDir: '/x' };
  const found = await notedExportFinding(place, { isKnown: false, now });
  const says = 'not known: the database could not be asked';
  assert.deepEqual(found, { what: 'exports', state: 'note', says });
});
