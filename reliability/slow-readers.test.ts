import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { removeService, type Service, startService } from '../e2e/service.ts';
import { createTestToken } from '../service/src/testing/app.ts';
import { createTestDatabase, type TestDatabase } from '../service/src/testing/postgres.ts';
import { temporaryDirectory } from '../service/src/testing/temporary-directory.ts';
import { until } from '../service/src/testing/until.ts';

// Tests very many clients that request the whole audit log or large pages of it, and hardly read them.

const readers = 150;
const entries = 40_000;
/** Without limits, all of them together took 223 MB. */
const mostMegabytes = 75;
const root = temporaryDirectory('readers');
const watch = join(root, 'memory.socket');
const names = { project: 'slow', pool: 'slow', network: 'slow0' };
const sockets: Socket[] = [];
let database: TestDatabase;
let service: Service;
let tokens: string[];

before(async () => {
  database = await createTestDatabase();
  tokens = await tokensOf(15);
});

beforeEach(async () => {
  const databaseUrl = database.connectionString;
  // None of them is disconnected, however long the test takes.
  const env = {
    BERTH_LEAST_SPEED: '1',
    NODE_OPTIONS: `--import=${new URL('memory-watch.ts', import.meta.url).href}`,
    TEST_MEMORY_SOCKET: watch,
  };
  service = await startService({ directory: root, names, databaseUrl, env });
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await removeService(root);
  rmSync(watch, { force: true });
});

after(async () => {
  await database.close();
  rmSync(root, { recursive: true, force: true });
});

async function megabytes(): Promise<number> {
  return Number(await text(connect(watch))) / 2 ** 20;
}

/** Waits until a figure no longer increases, and returns it. */
async function settled(figure: () => Promise<number>): Promise<number> {
  const seen: number[] = [];
  const look = async () => {
    await sleep(1000);
    seen.push(await figure());
    return seen.slice(-3);
  };
  const isSteady = (last: number[]) =>
    last.length === 3 && Math.max(...last) - Math.min(...last) < 1;
  const last = await until('it no longer increases', look, isSteady);
  return Math.max(...last);
}

async function readSlowly(path: string, authorization: string): Promise<number> {
  const socket = connect(service.port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  socket.write(`GET /v1${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`);
  const [data] = await once(socket, 'data');
  socket.pause();
  return Number(String(data).slice(9, 12));
}

async function status(path: string, authorization: string): Promise<number> {
  const answer = await fetch(`${service.url}/v1${path}`, { headers: { authorization } });
  await answer.arrayBuffer();
  return answer.status;
}

/** Creates so many tokens of administrators, five for each project. */
async function tokensOf(count: number): Promise<string[]> {
  const { db } = database;
  const made: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const project = `slow-${Math.floor(at / 5)}`;
    if (at % 5 === 0) await db.insertInto('projects').values({ name: project }).execute();
    made.push((await createTestToken(db, { project })).headers.authorization);
  }
  return made;
}

/** Inserts entries with a text of so many characters. */
async function enterAuditLog(count: number, characters: number): Promise<void> {
  await sql`
    insert into audit_log (source, by_administrator, action, status, details)
    select 'api', true, 'probe', 200, jsonb_build_object('text', repeat('x', ${characters}::integer))
    from generate_series(1, ${count}::integer)`.execute(database.db);
}

/** Returns how much memory many clients take that hardly read this path, in MiB. */
async function growthBy(path: string): Promise<number> {
  const [first = ''] = tokens;
  // The memory for a first response of each kind is not freed.
  for (let times = 0; times < 5; times += 1)
    assert.equal(await status('/audit?limit=100', first), 200);
  const before = await megabytes();
  const statuses: number[] = [];
  for (let at = 0; at < readers; at += 1) {
    statuses.push(await readSlowly(path, tokens[at % tokens.length] ?? ''));
    assert.equal(await status('/locations', first), 200, 'other clients get responses');
  }
  const count = (wanted: number) => statuses.filter((each) => each === wanted).length;
  assert.equal(count(200), 99, '33 of each project');
  assert.equal(count(429), readers - 99);
  const grown = (await settled(megabytes)) - before;
  console.log(`${grown.toFixed(0)} MB for ${count(200)} of them`);
  return grown;
}

test(`${readers} slow readers get the maximum number of responses, and use little memory`, async () => {
  await enterAuditLog(entries, 500);
  const grown = await growthBy('/audit');
  assert.ok(grown < mostMegabytes, `grew by ${grown.toFixed(0)} MB`);
});

test(`${readers} slow readers of pages of 5 MB use as little memory`, async () => {
  await enterAuditLog(1000, 5000);
  const grown = await growthBy('/audit?limit=1000&sort=-id');
  assert.ok(grown < mostMegabytes, `grew by ${grown.toFixed(0)} MB`);
});
