import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  DataDirectoryInUseError,
  type EmbeddedPostgres,
  joinEmbeddedPostgres,
  startEmbeddedPostgres,
} from './embedded.ts';

let dataDir: string;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'berth-embedded-'));
});

after(() => rm(dataDir, { recursive: true, force: true }));

const started: EmbeddedPostgres[] = [];

async function start(): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir });
  started.push(postgres);
  return postgres;
}

// Also when a test failed: what is left running would keep the run from ending.
afterEach(() => Promise.all(started.splice(0).map((postgres) => postgres.stop())));

async function ask(postgres: EmbeddedPostgres, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: postgres.connectionString });
  await client.connect();
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

function postmaster(): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

test('it starts from nothing, keeps what is written, and stops', async () => {
  const first = await startEmbeddedPostgres({ dataDir });
  assert.match(String(await ask(first, 'show server_version')), /^18\./);
  assert.equal(await ask(first, 'show fsync'), 'on');
  assert.equal(await ask(first, 'show data_checksums'), 'on');
  await ask(first, 'create table kept as select 7 as value');
  await first.stop();
  assert.equal(existsSync(join(dataDir, 'postgres', 'postmaster.pid')), false);
  const second = await start();
  assert.equal(await ask(second, 'select value from kept'), 7);
});

test('a data directory in use is refused, its user undisturbed; a tool may join it', async () => {
  const owner = await start();
  await assert.rejects(start(), (error: Error) => {
    assert.ok(error instanceof DataDirectoryInUseError);
    assert.ok(error.message.includes(dataDir) && error.wayOut.includes('BERTH_DATA_DIR'));
    return true;
  });
  const tool = await joinEmbeddedPostgres({ dataDir });
  assert.equal(await ask(tool, 'select 1'), 1);
  await tool.stop();
  assert.equal(await ask(owner, 'select 1'), 1, 'the tool stopped what it joined');
});

test('of two that start at once, one gets it', async () => {
  const results = await Promise.allSettled([1, 2].map(start));
  const [, ...others] = results.flatMap((s) => (s.status === 'fulfilled' ? [s.value] : []));
  const [loser] = results.flatMap((s) => (s.status === 'rejected' ? [s.reason] : []));
  assert.equal(others.length, 0);
  assert.ok(loser instanceof DataDirectoryInUseError, String(loser));
});

test('one that a killed service left running is taken over', async () => {
  const program = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(import.meta.resolve('./embedded.ts'))});
    await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} });
    process.kill(process.pid, 'SIGKILL');`;
  assert.throws(() => execFileSync(process.execPath, ['--input-type=module', '-e', program]), {
    signal: 'SIGKILL',
  });
  const left = postmaster();
  await start();
  assert.equal(postmaster(), left);
});

test('when it is killed it is started again, with what was committed', async () => {
  const postgres = await start();
  await ask(postgres, 'create table survived as select 8 as value');
  const killed = postmaster();
  process.kill(killed, 'SIGKILL');
  await untilHeldAgain(postgres);
  assert.notEqual(postmaster(), killed);
  assert.equal(await ask(postgres, 'select value from survived'), 8);
  await assert.rejects(start(), DataDirectoryInUseError);
});

/** It answers a moment before its service holds the data directory again. */
async function untilHeldAgain(postgres: EmbeddedPostgres): Promise<void> {
  const held = "select count(*)::int from pg_locks where locktype = 'advisory'";
  for (let tries = 0; tries < 300; tries += 1) {
    const [answer] = await Promise.allSettled([ask(postgres, held)]);
    if (answer.status === 'fulfilled' && answer.value === 1) return;
    await sleep(100);
  }
  assert.fail('PostgreSQL was not started again within 30 s.');
}
