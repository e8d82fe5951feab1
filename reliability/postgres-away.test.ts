import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { query } from '../e2e/database.ts';
import { serviceLog } from '../e2e/service.ts';
import { eventually, until } from '../service/src/testing/until.ts';
import { settle } from './chaos/verdict.ts';
import { worlds } from './chaos/worlds.ts';
import { type Asked, beginLoad } from './load.ts';

// Tests that PostgreSQL stops in immediate mode under load. The service starts it again.

/** The number of successful requests in a row after which the service counts as restored. */
const well = 50;
const restarts = 3;
const timeout = restarts * 5 * 60_000;
/** The number of concurrent clients, and so the maximum of requests that a kill interrupts. */
const creators = 2;

it('a restart of PostgreSQL under load is a short 503, and loses no accepted create', {
  timeout,
}, async (t) => {
  await worlds.simulator(async (world) => {
    const accepted = { servers: new Set<number>(), operations: new Set<number>() };
    for (let restart = 1; restart <= restarts; restart += 1) {
      const load = beginLoad(world.service, `load-${restart}`);
      await until('creates are accepted', () => created(load.seen).length > 2);
      const killed = performance.now();
      await world.kill.postgres();
      await eventually(async () => {
        const since = load.seen.filter(({ at }) => at > killed);
        const last = since.findLastIndex(({ status }) => status === 503);
        assert.ok(last >= 0, 'somebody noticed');
        const good = since.slice(last + 1);
        assert.ok(good.length >= well, `${good.length} requests succeeded again`);
        assert.ok(
          good.some(({ method }) => method === 'POST'),
          'creates, too',
        );
      });
      const seen = await load.end();
      for (const id of created(seen)) accepted.servers.add(id);
      const inDoubt = await madeAllTheSame(world.directory, seen);
      assert.ok(inDoubt.length <= creators, `${inDoubt.length} were created and refused`);
      for (const id of inDoubt) accepted.servers.add(id);
      onlyAskedToComeAgain(seen);
      const took = outage(seen, killed);
      assert.ok(took > 0, 'somebody noticed');
      await saysSo(world.directory, restart);
      t.diagnostic(
        `restart ${restart}: unavailable for ${Math.round(took)} ms, ${seen.length} requests`,
      );
    }
    assert.ok(accepted.servers.size > restarts * 2, `${accepted.servers.size} were accepted`);
    await settle(world, accepted);
  });
});

const unreachable = 'The database is unreachable. What needs it is retried.';
const answers = 'The database answers again.';

/**
 * What an operator finds in the log, which has the default level and all above it: each outage once, with its end, and
 * nothing of the parts that it has kept from working.
 */
async function saysSo(directory: string, outages: number): Promise<void> {
  const count = (words: string) => warnings(directory).filter(({ msg }) => msg === words).length;
  await eventually(async () => assert.equal(count(answers), outages));
  assert.equal(count(unreachable), outages);
  const all = warnings(directory);
  const said = all.slice(all.findIndex(({ msg }) => msg === unreachable || msg === restarted));
  // That of a machine that needs more than a minute to start it again.
  const known = [unreachable, 'The database is still unreachable.', answers, restarted];
  assert.deepEqual(
    said.filter(({ msg }) => !known.includes(msg)),
    [],
  );
  assert.equal(count(restarted), outages);
  for (const { msg, seconds, reason } of said) {
    if (msg === unreachable) assert.ok(reason);
    if (msg === answers) assert.ok(Number(seconds) > 0);
  }
}

const restarted = 'PostgreSQL ended unexpectedly. It is being restarted.';

interface Line {
  level: string;
  msg: string;
  reason?: string;
  seconds?: number;
}

function warnings(directory: string): Line[] {
  const lines = readFileSync(serviceLog(directory), 'utf8').split('\n');
  const logged: Line[] = lines
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  return logged.filter(({ level }) => ['warn', 'error', 'fatal'].includes(level));
}

/** The ids of the servers whose create was accepted. */
const created = (seen: readonly Asked[]) =>
  seen.flatMap(({ method, status, body }) =>
    method === 'POST' && status === 201 && body.id ? [body.id] : [],
  );

/** Committed just before PostgreSQL was killed, without a response. Clients send an Idempotency-Key for this case. */
async function madeAllTheSame(directory: string, seen: Asked[]): Promise<number[]> {
  const refused = seen.flatMap(({ status, hostname }) =>
    status === 503 && hostname ? [hostname] : [],
  );
  const names = refused.map((name) => `'${name}'`).join() || 'null';
  const sql = `select id::int from servers where hostname in (${names})`;
  return (await query<{ id: number }>(directory, sql)).map(({ id }) => id);
}

/** A refused request gets a Retry-After, and never an internal error. */
function onlyAskedToComeAgain(seen: Asked[]): void {
  for (const { method, status, retryAfter, body } of seen) {
    if (status === (method === 'POST' ? 201 : 200)) continue;
    // The address pool, or the memory of the node, can be used up.
    if (status === 409) continue;
    assert.equal(status, 503, `${method}: ${JSON.stringify(body)}`);
    assert.match(retryAfter ?? '', /^[1-9]\d*$/);
  }
}

/** Milliseconds from the kill until all requests succeeded again; 0 if none failed. */
function outage(seen: Asked[], killed: number): number {
  const refused = seen.filter(({ status, at }) => status === 503 && at > killed);
  const last = refused.at(-1);
  if (!last) return 0;
  assert.ok(
    seen.some(({ at, status }) => at > last.at && status < 300),
    'requests succeed again',
  );
  return last.at - killed;
}
