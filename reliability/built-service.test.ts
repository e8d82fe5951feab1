import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { removeService, type Service, startService } from '../e2e/service.ts';
import { createTestDatabase, type TestDatabase } from '../service/src/testing/postgres.ts';
import { temporaryDirectory } from '../service/src/testing/temporary-directory.ts';

// Tests that the bundle finds what is loaded late, or from files beside its sources: the pages of the API reference,
// the threads, and the dictionaries of the passwords.

const root = temporaryDirectory('built');
let database: TestDatabase;
let service: Service;

before(async () => {
  database = await createTestDatabase();
  const names = { project: 'built', pool: 'built', network: 'built0' };
  const directory = join(root, 'service');
  service = await startService({ directory, names, databaseUrl: database.connectionString });
});

after(async () => {
  await removeService(join(root, 'service'));
  await database.close();
  rmSync(root, { recursive: true, force: true });
});

for (const path of ['/docs/', '/docs/errors', '/docs/js/scalar.js', '/openapi.json', '/metrics'])
  test(`the built service responds to ${path}`, async () => {
    const headers = { authorization: `Bearer ${service.token}` };
    const response = await fetch(`${service.url}${path}`, { headers });
    assert.equal(response.status, 200, await response.text());
  });

test('the built service refuses a weak password', async () => {
  const response = await fetch(`${service.url}/v1/users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com', password: 'password1234' }),
  });
  const { detail } = (await response.json()) as { detail: string };
  assert.equal(response.status, 422, detail);
  assert.match(detail, /password/i);
});
