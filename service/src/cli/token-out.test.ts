import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { toolOn } from '../testing/tool.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const whole = await createWholeApp();
after(whole.close);
const { connectionString } = whole;
const run = toolOn(connectionString, 'token');
const directory = mkdtempSync(join(tmpdir(), 'berth-out-'));
after(() => rmSync(directory, { recursive: true }));
const create = (path: string) =>
  run('create', '--name', 'x', '--scopes', 'metrics:read', '--out', path);
const tokens = () => whole.db.selectFrom('tokens').select('id').execute();

test('the command in docs/metrics.md creates a file from which Prometheus can read its token', async () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const docs = readFileSync(join(root, 'docs/metrics.md'), 'utf8');
  const [line = ''] = /^npm run token -- .*$/m.exec(docs) ?? [];
  const [documented = ''] = /\/etc\/\S+/.exec(line) ?? [];
  assert.match(docs, new RegExp(`credentials_file: ${documented}\\n`));
  const path = join(directory, 'berth-token');
  execFileSync('sh', ['-c', line.replace(documented, path)], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: connectionString },
    stdio: 'pipe',
  });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  // Prometheus also removes white space around the token.
  const authorization = `Bearer ${readFileSync(path, 'utf8').trim()}`;
  const answer = await whole.ask('GET', '/metrics', { prefix: '', authorization });
  assert.equal(answer.statusCode, 200, answer.body);
});

test('the secret is written to the file, and not printed', async () => {
  const path = join(directory, 'printed');
  const { code, stdout, stderr } = await create(path);
  assert.equal(code, 0, stderr);
  const secret = readFileSync(path, 'utf8').trim();
  assert.ok(secret.length > 20 && !`${stdout}${stderr}`.includes(secret));
  assert.match(stdout, /^Token \d+ \(metrics:read\) is valid until it is revoked\. It is in \//);
});

test('an existing file is not changed, and no token is created then', async () => {
  const path = join(directory, 'there');
  writeFileSync(path, 'of somebody');
  const before = await tokens();
  const refused = await create(path);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /there already exists\.\nChoose another file, or remove this one/);
  assert.equal(readFileSync(path, 'utf8'), 'of somebody');
  const nowhere = await create(join(directory, 'none', 'token'));
  assert.equal(nowhere.code, 1);
  assert.match(
    nowhere.stderr,
    /can't be written: the folder \S+\/none does not exist\.\nCreate it, or choose another file\./,
  );
  assert.deepEqual(await tokens(), before);
});

test('no file is left if the token could not be created', async () => {
  const path = join(directory, 'left');
  const args = ['create', '--name', 'x', '--scopes', 'admin', '--project', 'none', '--out', path];
  assert.equal((await run(...args)).code, 1);
  assert.ok(!existsSync(path));
});
