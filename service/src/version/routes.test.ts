import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createMetrics } from '../metrics/metrics.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { version } from './build.ts';
import { versionRoutes } from './routes.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const { db, pool, close } = await createTestDatabase();
after(close);
const app = await createTestApp(db, [versionRoutes]);
after(() => app.close());

/** The commit of the release or of the clone. */
function expectedCommit(): string {
  if (existsSync(`${root}release.json`)) return JSON.parse(read('release.json')).commit;
  return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
}

async function newestMigration(): Promise<string> {
  const { rows } = await pool.query('select max(name) as name from kysely_migration');
  return rows[0].name;
}

test('callers with a token can read the version, the commit and the schema', async () => {
  const { headers } = await createTestToken(db, { scopes: ['servers:read'] });
  const answer = await inject(app, { url: '/v1/version', headers });
  assert.equal(answer.statusCode, 200);
  const expected = { version, commit: expectedCommit(), schema: await newestMigration() };
  assert.deepEqual(answer.json(), expected);
  assert.equal((await inject(app, { url: '/v1/version' })).statusCode, 401);
});

test('the metrics have the same values', async () => {
  const metrics = createMetrics({ db, pools: { requests: pool } }, { ofServers: false });
  const labels = `version="${version}",commit="${expectedCommit()}",schema="${await newestMigration()}"`;
  const text = await metrics.text('text');
  assert.ok(text.includes(`\nberth_build_info{${labels}} 1\n`), text);
});

test('all packages, the OpenAPI document and the changelog have the same version', () => {
  const { workspaces } = JSON.parse(read('package.json'));
  const packages = ['', ...workspaces.map((name: string) => `${name}/`)];
  const ours = globSync('{,*/}package.json', { cwd: root });
  assert.deepEqual(ours.sort(), packages.map((path) => `${path}package.json`).sort());
  const lock = JSON.parse(read('package-lock.json'));
  const found = Object.fromEntries([
    ...packages.map((path) => [path, JSON.parse(read(`${path}package.json`)).version]),
    ...packages.map((path) => [`lock ${path}`, lock.packages[path.replace(/\/$/, '')].version]),
    ['lock', lock.version],
    ['openapi.json', JSON.parse(read('contract/openapi.json')).info.version],
    ['CHANGELOG.md', /^## \[(.+?)\]/m.exec(read('CHANGELOG.md'))?.[1]],
  ]);
  const others = Object.entries(found).filter(([, value]) => value !== version);
  assert.deepEqual(others, []);
  assert.match(version, /^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/);
});

test('packages depend on any version of each other', () => {
  for (const path of globSync('{,*/}package.json', { cwd: root })) {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(read(path));
    const own = Object.entries({ ...dependencies, ...devDependencies });
    for (const [name, range] of own) if (name.startsWith('@berth/')) assert.equal(range, '*', path);
  }
});
