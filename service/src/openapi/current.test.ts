import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { createDb, createPool } from '../db/connection.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { routes } from '../routes.ts';
import { createTestApp } from '../testing/app.ts';

// `npm run check` compares the whole text. This test compares the document of each path, so that a changed route fails
// a test.

const file = new URL('../../../contract/openapi.json', import.meta.url);

const db = createDb(createPool('postgresql://nowhere'));
after(() => db.destroy());

test('contract/openapi.json is current', async () => {
  const metrics = createMetrics({ db, pools: {} }, { ofServers: true });
  const app = await createTestApp(db, [...routes], { metrics });
  const { paths } = JSON.parse(JSON.stringify(app.swagger()));
  await app.close();
  const kept = JSON.parse(readFileSync(file, 'utf8')).paths;
  assert.deepEqual(Object.keys(paths), Object.keys(kept));
  for (const [path, operations] of Object.entries(kept)) {
    assert.deepEqual(paths[path], operations, `${path}; npm run openapi writes it`);
  }
});
