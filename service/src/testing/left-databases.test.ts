import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { createTestDatabase, dropLeftDatabases, sharedCluster, startCluster } from './postgres.ts';

const program = `
  const { createTestDatabase } = await import('./service/src/testing/postgres.ts');
  const { pool } = await createTestDatabase();
  const { rows } = await pool.query('select current_database() as name');
  console.log(rows[0].name);
`;

test('the databases of a killed process are dropped, and those of running processes are kept', async () => {
  const cluster = await startCluster();
  after(cluster.stop);
  process.env[sharedCluster] = JSON.stringify(cluster);
  const { pool, close } = await createTestDatabase();
  const child = spawn(process.execPath, ['--eval', program, '--input-type=module'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [printed] = await once(child.stdout, 'data');
  const names = async () =>
    (await pool.query<{ datname: string }>('select datname from pg_database')).rows.map(
      ({ datname }) => datname,
    );
  const left = String(printed).trim();
  await dropLeftDatabases();
  assert.ok((await names()).includes(left), 'its process is still running');
  child.kill('SIGKILL');
  await exited;
  await dropLeftDatabases();
  assert.ok(!(await names()).includes(left));
  assert.deepEqual((await pool.query('select 1 as one')).rows, [{ one: 1 }]);
  await close();
});
