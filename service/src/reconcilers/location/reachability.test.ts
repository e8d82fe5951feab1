import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, beforeEach, test } from 'node:test';
import { withDeadline } from '../../incus/transport/deadline.ts';
import { EngineError } from '../../incus/transport/errors.ts';
import { createEngineOutage } from '../../incus/transport/outage.ts';
import { keptLog } from '../../testing/canaries.ts';
import { installation } from '../../testing/fixtures.ts';
import { createTestDatabase } from '../../testing/postgres.ts';
import { createReachability, type Reachability } from './reachability.ts';

const { db, close } = await createTestDatabase();
after(close);
const { locationId } = await installation(db);

const silence = () =>
  new EngineError('timeout', 'No answer from 10.0.0.1.', { publicMessage: 'No answer.' });
const refusal = () =>
  new EngineError('unreachable', 'connect 10.0.0.1: refused', { publicMessage: 'It is refused.' });
const { signal } = new AbortController();

let lines: string[];
let probed: number;
let reachability: Reachability;

beforeEach(() => {
  probed = 0;
  const kept = keptLog();
  lines = kept.lines;
  const outage = createEngineOutage(kept.log, { location: 'local' });
  reachability = createReachability({ db, locationId }, outage, () => {
    probed += 1;
  });
});

async function reason(): Promise<string | null> {
  await reachability.write();
  const query = db.selectFrom('locations').select(['reachable', 'unreachable_reason']);
  const row = await query.where('id', '=', locationId).executeTakeFirstOrThrow();
  assert.equal(row.reachable, row.unreachable_reason === null);
  return row.unreachable_reason;
}

test('nothing is written before the result of opening the stream of events is known', async () => {
  reachability.recordFailure('ping', refusal());
  assert.equal(await reason(), null);
  reachability.recordSuccess('events');
  assert.equal(await reason(), 'It is refused.');
});

test('a missing response counts from the third time in a row of one probe', async () => {
  reachability.recordSuccess('events');
  for (const probe of ['nodes', 'nodes', 'instances', 'instances'] as const) {
    reachability.recordFailure(probe, silence());
  }
  assert.deepEqual([await reason(), probed, lines], [null, 1, []]);
  reachability.recordSuccess('nodes');
  reachability.recordFailure('nodes', silence());
  assert.deepEqual([await reason(), probed], [null, 2]);
  reachability.recordFailure('instances', silence());
  assert.deepEqual([await reason(), probed], ['No answer.', 3]);
  reachability.recordSuccess('instances');
  assert.equal(await reason(), null);
});

test('a refusal counts at once, and so does a failed ping, which is three attempts', async () => {
  reachability.recordSuccess('events');
  reachability.recordFailure('nodes', refusal());
  assert.equal(await reason(), 'It is refused.');
  reachability.recordSuccess('nodes');
  assert.equal(await reason(), null);
  reachability.recordFailure('ping', silence());
  assert.equal(await reason(), 'No answer.');
});

test('the message of the engine is logged once, and the location does not show internal details', async () => {
  reachability.recordSuccess('events');
  for (let times = 0; times < 3; times += 1) reachability.recordFailure('ping', silence());
  assert.equal(lines.length, 1);
  const told = JSON.parse(lines[0] ?? '');
  assert.deepEqual(
    [told.location, told.probe, told.reason],
    ['local', 'ping', 'No answer from 10.0.0.1.'],
  );
  for (const probe of ['events', 'nodes'] as const) reachability.recordFailure(probe, refusal());
  reachability.recordFailure('ping', new Error('ours'));
  reachability.recordFailure('ping', 'thrown');
  assert.equal(lines.length, 1, 'one outage, regardless of the probe');
  for (const probe of ['events', 'nodes'] as const) reachability.recordSuccess(probe);
  assert.match((await reason()) ?? '', /its log says why/);
});

test('the location names the call that timed out', async () => {
  const deadline = { what: 'GET /1.0', timeoutSeconds: 0.01 };
  const late = await withDeadline(deadline, async (inTime) => {
    await once(inTime, 'abort');
    throw inTime.reason;
  }).catch((error: unknown) => error);
  reachability.recordSuccess('events');
  reachability.recordFailure('ping', late);
  assert.equal(await reason(), 'GET /1.0: no answer within 0.01 s');
});

test('the result of a call is recorded and returned, but not an abort or an error of Berth', async () => {
  assert.equal(await reachability.record('nodes', Promise.resolve(7), signal), 7);
  assert.equal(reachability.hasFailed('nodes', 'ping'), false);
  assert.equal(probed, 1);
  const fail = async (error: Error, by = signal) =>
    await assert.rejects(reachability.record('nodes', Promise.reject(error), by), error);
  await fail(silence(), AbortSignal.abort());
  await fail(new Error('ours'));
  assert.equal(reachability.hasFailed('nodes'), false);
  await fail(silence());
  assert.deepEqual(
    [reachability.hasFailed('ping', 'nodes'), reachability.hasFailed('ping')],
    [true, false],
  );
  await reachability.record('nodes', Promise.resolve(7), signal);
  assert.equal(reachability.hasFailed('nodes'), false);
});
