import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Db } from '../db/connection.ts';
import { loadKeys } from '../keys/key-file.ts';
import { agreeOnSecretKey } from '../keys/secret-key.ts';
import { createEmptyDatabase, createTestDatabase } from '../testing/postgres.ts';
import { toolOn } from '../testing/tool.ts';

const root = mkdtempSync(join(tmpdir(), 'berth-db-tool-'));
after(() => rmSync(root, { recursive: true }));
const source = await createTestDatabase();
after(source.close);

/** What the tool entered in the audit log, the first first. */
async function entered(db: Db) {
  return await db
    .selectFrom('audit_log')
    .select(['action', 'status', 'user_id', 'details'])
    .where('source', '=', 'command_line')
    .orderBy('id')
    .execute();
}

test('an export, an import and another key are entered in the audit log', async (t) => {
  const dataDir = mkdtempSync(join(root, 'audited-'));
  await agreeOnSecretKey(source.db, await loadKeys(dataDir), { dataDir, isOnlyService: false });
  const file = join(dataDir, 'berth.gz');
  const target = await createEmptyDatabase();
  t.after(target.close);
  const tool = ({ connectionString }: { connectionString: string }) =>
    toolOn(connectionString, new URL('./db.ts', import.meta.url), '', { BERTH_DATA_DIR: dataDir });
  for (const [on, args] of [
    [source, ['export', file]],
    [target, ['import', file]],
    [target, ['rotate-key']],
  ] as const) {
    const { code, stderr } = await tool(on)(...args);
    assert.equal(code, 0, stderr);
  }
  const before = readFileSync(join(dataDir, 'secret-key'), 'utf8');
  const [exported] = await entered(source.db);
  assert.deepEqual([exported?.action, exported?.status], ['database_export', 200]);
  const [imported, rotated, ...more] = await entered(target.db);
  assert.deepEqual(more, [], 'the entry of the export is later than what it has');
  assert.equal(imported?.action, 'database_import');
  assert.deepEqual(imported?.details, exported?.details, 'the file, and as of when it is');
  assert.equal(imported?.details?.file, file);
  assert.equal(rotated?.action, 'secret_key_rotate');
  const { key } = rotated?.details as { key: { before: string; after: string } };
  assert.match(`${key.before} ${key.after}`, /^[0-9a-f]{16} [0-9a-f]{16}$/);
  assert.notEqual(key.before, key.after);
  assert.ok(!before.includes(key.after), 'what tells of a key is no part of it');
});
