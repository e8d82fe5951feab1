import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { databaseTime } from '../db/queries.ts';
import { errorFromIncus } from '../incus/transport/errors.ts';
import { changeServer } from '../servers/worker-queries.ts';
import {
  db,
  ended,
  enter,
  kindOf,
  loggedLines,
  rowOf,
  run,
  stopRunners,
  untilEnded,
  watched,
} from '../testing/operations.ts';
import { until } from '../testing/until.ts';
import { done, doneBy, fail, next, wait } from './define.ts';
import { leaseSeconds } from './lease-queries.ts';

const isCommit = (text: string) => text.includes('"step_since"');

test('a step whose result took too long to be written is followed by none under the same lease', async (t) => {
  const now = performance.now.bind(performance);
  let passed = 0;
  t.mock.method(performance, 'now', () => now() + passed);
  const slow = watched({
    after(text) {
      if (isCommit(text)) passed += 10_000;
    },
  });
  const fences: [step: string, fence: number][] = [];
  const kind = kindOf({
    first: async ({ operation }) => {
      fences.push(['first', operation.fence]);
      return next('second');
    },
    second: async ({ operation }) => {
      fences.push(['second', operation.fence]);
      return ended();
    },
  });
  run(kind, { db: slow });
  await untilEnded(await enter(kind));
  assert.deepEqual(
    fences.map(([step]) => step),
    ['first', 'second'],
  );
  // Between the runs, a lease may be given up unused, because it was requested before the clock advanced.
  assert.notEqual(fences[0]?.[1], fences[1]?.[1]);
});

test('a runner that stops begins no other step, and does not count that as a failure', async () => {
  const ran: string[] = [];
  const stopped = Promise.withResolvers<void>();
  const kind = kindOf({
    first: async ({ operation }) => {
      ran.push(`first under ${operation.fence}`);
      stopRunners().then(stopped.resolve, stopped.reject);
      return next('second');
    },
    second: async ({ operation }) => {
      ran.push(`second under ${operation.fence}`);
      return ended();
    },
  });
  run(kind);
  const id = await enter(kind);
  await until('it stops', () => ran.length > 0);
  await stopped.promise;
  const { step, attempts, last_error, lease_until, lease_holder } = await rowOf(id);
  assert.deepEqual([step, attempts, last_error], ['second', 0, null]);
  assert.deepEqual([lease_until, lease_holder], [null, null]);
  run(kind);
  await untilEnded(id);
  assert.deepEqual(ran, ['first under 1', 'second under 2']);
});

test('a step that is aborted because its runner stops is not counted as an attempt', async () => {
  let runs = 0;
  const kind = kindOf({
    only: async ({ signal }) => {
      runs += 1;
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      throw signal.reason;
    },
  });
  const { log, lines } = loggedLines();
  run(kind, { log });
  const id = await enter(kind);
  await until('it runs', () => runs > 0);
  await stopRunners();
  const { attempts, last_error, message, status } = await rowOf(id);
  assert.deepEqual([attempts, last_error, message, status], [0, null, 'new', 'running']);
  assert.deepEqual(lines, []);
  await db.deleteFrom('operations').where('id', '=', id).execute();
});

test('a failed step leads to the recovery step once, which finds the failure and has its own time', async () => {
  const failures: [id: number, reason: string][] = [];
  const seen: unknown[] = [];
  const kind = kindOf(
    {
      first: async () => next('second', { kept: true }),
      second: async () => fail('not_started', 'It is refused.'),
      undo: async ({ operation }) => {
        const left = Date.parse(operation.deadline_at) - Date.parse(await databaseTime(db));
        seen.push(operation.state, operation.message, operation.progress, left > 3_600_000);
        return fail('engine_invalid', 'It was undone.');
      },
    },
    {
      recovery: { step: 'undo', deadlineSeconds: 7200 },
      failed: async (_, { id }, reason) => void failures.push([id, reason]),
    },
  );
  run(kind);
  const id = await enter(kind);
  const row = await untilEnded(id);
  const failure = { code: 'not_started', message: 'It is refused.' };
  assert.deepEqual(seen, [{ kept: true, failure }, 'Testing: at undo', 66, true]);
  assert.deepEqual(row.error, { code: 'engine_invalid', message: 'It was undone.' });
  assert.deepEqual(
    [row.status, row.message, row.progress],
    ['failed', 'Testing failed: It was undone.', 66],
  );
  assert.deepEqual(failures, [[id, 'It was undone.']]);
});

test('a worker that has lost its lease writes nothing at the end of an operation', async () => {
  let written = 0;
  const { log, lines } = loggedLines();
  const write = async () => {
    written += 1;
  };
  const change = changeServer(0, { status: 'error' });
  for (const result of [done('Done.', write), doneBy('Done.', change)]) {
    const kind = kindOf({
      async only({ operation: { id } }) {
        const taken = { fence: sql<number>`fence + 1`, lease_holder: crypto.randomUUID() };
        await db.updateTable('operations').set(taken).where('id', '=', id).execute();
        return result;
      },
    });
    const id = await enter(kind);
    run(kind, { log });
    await until('its lease is lost', async () => (await rowOf(id)).fence === 2);
    await stopRunners();
    assert.deepEqual([written, (await rowOf(id)).status], [0, 'running']);
    await db.deleteFrom('operations').where('id', '=', id).execute();
  }
  assert.deepEqual(lines, []);
});

test('an operation that succeeds runs no recovery', async () => {
  let undone = 0;
  const kind = kindOf(
    {
      only: async () => ended(),
      undo: async () => {
        undone += 1;
        return fail('engine_invalid', 'It was undone.');
      },
    },
    { recovery: { step: 'undo', deadlineSeconds: 7200 } },
  );
  run(kind);
  const { status } = await untilEnded(await enter(kind));
  await stopRunners();
  assert.deepEqual([status, undone], ['succeeded', 0]);
});

test('a recovery that is not needed does not run', async () => {
  for (const begun of [false, true]) {
    let undone = 0;
    const errors: unknown[] = [];
    const kind = kindOf(
      {
        first: async () => next('second', { begun }),
        second: async () => fail('not_started', 'It is refused.'),
        undo: async () => {
          undone += 1;
          return fail('engine_invalid', 'It was undone.');
        },
      },
      {
        recovery: {
          step: 'undo',
          deadlineSeconds: 7200,
          isNeeded: (state) => state.begun === true,
        },
        failed: async (_, { error }) => void errors.push(error),
      },
    );
    run(kind);
    const { error } = await untilEnded(await enter(kind));
    await stopRunners();
    assert.deepEqual([undone, error?.code], begun ? [1, 'engine_invalid'] : [0, 'not_started']);
    assert.deepEqual(errors, [error]);
  }
});

test('a failure keeps the secrets only of what can be retried', async () => {
  const secrets = Buffer.from('secret');
  for (const canBeRetried of [true, false, undefined]) {
    const kind = kindOf(
      { only: async () => fail('not_started', 'No.') },
      { kind: 'create', ...(canBeRetried !== undefined && { canBeRetried }) },
    );
    run(kind);
    const row = await untilEnded(await enter(kind, { secrets }));
    await stopRunners();
    assert.deepEqual(row.secrets, canBeRetried ? secrets : null);
    assert.deepEqual([row.status, row.progress], ['failed', 0]);
  }
  const kind = kindOf({ only: async () => ended() }, { kind: 'succeeds', canBeRetried: true });
  run(kind);
  assert.equal((await untilEnded(await enter(kind, { secrets }))).secrets, null);
});

test('while a node does not answer, no step runs, and the operation says what it waits for', async () => {
  const ran: unknown[] = [];
  let away: string | undefined = 'node-9';
  const server = kindOf({
    only: async () => {
      ran.push('only');
      return ended();
    },
  });
  const kind = { ...server, load: async () => ({ about: {}, locationId: 7, away }) };
  const engine = async (locationId: number) => {
    ran.push(locationId);
    return {} as never;
  };
  run(kind, { engine });
  const id = await enter(kind);
  const look = () => rowOf(id);
  const row = await until('it waits', look, (it) => it.message !== 'new' && !it.lease_until);
  assert.equal(row.message, 'Testing: waiting for node-9, which does not answer');
  assert.deepEqual([row.status, row.started_at], ['pending', null], 'it has not begun');
  assert.deepEqual(ran, []);
  away = undefined;
  const operation = db.updateTable('operations').where('id', '=', id);
  await operation.set({ wake_at: sql<string>`now()` }).execute();
  assert.ok((await untilEnded(id)).started_at);
  assert.deepEqual(ran, [7, 'only']);
});

test('an operation that has run a step is under way, also while its node does not answer', async () => {
  for (const isSameLease of [true, false]) {
    let away: string | undefined;
    const server = kindOf({
      first: async () => {
        away = 'node-9';
        return isSameLease ? next('second') : wait(2, 'for a while');
      },
      second: async () => ended(),
    });
    const load = async () => ({ about: {}, locationId: 7, away });
    const kind = { ...server, isSteady: false, load };
    run(kind, { engine: async () => ({}) as never });
    const id = await enter(kind);
    const look = () => rowOf(id);
    const row = await until('it waits for its node', look, (it) => it.message.includes('node-9'));
    assert.equal(row.status, 'running');
    assert.ok(row.started_at);
    await stopRunners();
    await db.deleteFrom('operations').where('id', '=', id).execute();
  }
});

test('an operation of another subject than its kind has is neither run nor failed by it', async () => {
  const ran: string[] = [];
  const server = kindOf(
    {
      only: async () => {
        ran.push('only');
        return ended();
      },
    },
    { failed: async () => void ran.push('failed') },
  );
  const kind = { ...server, isOf: (_row: unknown): _row is never => false };
  const { log, lines } = loggedLines();
  run(kind, { log });
  const id = await enter(kind);
  await until(
    'the step was attempted',
    () => rowOf(id),
    ({ attempts }) => attempts > 0,
  );
  const [line] = lines as [{ err: { message: string }; operation: number; step: string }];
  assert.equal(line.err.message, `The operation ${id} belongs to no server.`);
  assert.deepEqual([line.operation, line.step], [id, 'only']);
  const operation = db.updateTable('operations').where('id', '=', id);
  const past = new Date(0).toISOString();
  await operation.set({ deadline_at: past, wake_at: past }).execute();
  assert.equal((await untilEnded(id)).error?.code, 'deadline_exceeded');
  assert.deepEqual(ran, []);
});

test('a wait of a second keeps the lease and ends at its time; a longer one does not keep it', async () => {
  const seen: unknown[] = [];
  const kind = kindOf({
    only: async ({ operation }) => {
      const isDue = Date.now() + 50 >= Date.parse(operation.wake_at);
      seen.push([operation.fence, isDue, operation.progress]);
      if (seen.length === 1) return wait(1, 'for a second', 0.25);
      return seen.length === 2 ? wait(1.01, 'for longer', 0.5) : ended();
    },
  });
  run(kind);
  await untilEnded(await enter(kind));
  assert.deepEqual(seen, [
    [1, true, 0],
    [1, true, 25],
    [2, true, 50],
  ]);
});

test('a short wait is written only if its message or progress is new', async () => {
  const seen: [wakeAt: string, message: string, progress: number][] = [];
  const said: Parameters<typeof wait>[] = [
    [0.01, 'for this'],
    [0.01, 'for this'],
    [0.01, 'for this', 0],
    [0.01, 'for that'],
    [0.01, 'for that', 0.5],
    [0.01, 'for that', 0.5],
    [0.01, 'for that', 0.1],
  ];
  const kind = kindOf({
    only: async ({ operation: { wake_at, message, progress } }) => {
      seen.push([wake_at, message, progress]);
      const words = said[seen.length - 1];
      return words ? wait(...words) : ended();
    },
  });
  run(kind);
  await untilEnded(await enter(kind));
  const isNew = seen.map(([wakeAt], at) => wakeAt !== seen[at - 1]?.[0]);
  assert.deepEqual(isNew, [true, true, false, false, true, true, false, false]);
  assert.deepEqual(
    seen.map(([, message, progress]) => `${message} ${progress}`),
    [
      'new 0',
      ...Array(3).fill('Testing: for this 0'),
      'Testing: for that 0',
      ...Array(3).fill('Testing: for that 50'),
    ],
  );
});

test('each of several equal failures is counted, and logged with its operation and step', async () => {
  const seen: number[] = [];
  const kind = kindOf({
    only: async ({ operation, log }) => {
      seen.push(operation.attempts);
      if (seen.length < 3) throw new Error('Not yet.');
      log.info('It goes on.');
      return ended();
    },
  });
  const { log, lines } = loggedLines();
  const observed: unknown[] = [];
  const observer = {
    ended: (...about: unknown[]) => void observed.push(about.slice(0, 2)),
    retried: (...about: unknown[]) => void observed.push(about),
    outputsDropped: (count: number) => void observed.push(count),
  };
  run(kind, { log, observer });
  const id = await enter(kind);
  await untilEnded(id);
  await until('its end is reported', () => lines.length >= 4);
  await stopRunners();
  assert.deepEqual(seen, [0, 1, 2]);
  const told = lines.map(({ msg, operation, step, kind: name, outcome, err }) => {
    return [msg, operation, step ?? name, (err as Error | undefined)?.message ?? outcome];
  });
  assert.deepEqual(told, [
    ...Array(2).fill([
      'A step of an operation failed. It will be retried.',
      id,
      'only',
      'Not yet.',
    ]),
    ['It goes on.', id, 'only', undefined],
    ['Operation ended.', id, 'test', 'done'],
  ]);
  assert.deepEqual(observed, [...Array(2).fill(['test', 'only']), ['test', 'succeeded']]);
  const { attempts, lease_holder, lease_until } = await rowOf(id);
  assert.deepEqual([attempts, lease_holder, lease_until], [2, null, null]);
});

test('a busy engine is logged with its reason, and without a stack', async () => {
  const reason = "Invalid PID '4711'";
  const kind = kindOf({
    only: async ({ operation }) => {
      if (operation.attempts === 0) throw errorFromIncus(reason);
      return ended();
    },
  });
  const { log, lines } = loggedLines();
  run(kind, { log });
  const id = await enter(kind);
  await untilEnded(id);
  await stopRunners();
  const told = lines.find(({ msg }) => /will be retried/.test(String(msg)));
  assert.deepEqual([told?.reason, told?.operation, told?.err], [reason, id, undefined]);
});

test('the pause before a retry begins at half a second, and grows to half a minute', async () => {
  const kind = kindOf({
    only: async () => {
      throw new Error('Not yet.');
    },
  });
  const pauseAfter = async (attempts: number) => {
    const id = await enter(kind);
    const operation = db.updateTable('operations').where('id', '=', id);
    await operation.set({ attempts }).execute();
    const before = Date.parse(await databaseTime(db));
    run(kind);
    const look = () => rowOf(id);
    const row = await until('it is tried', look, (seen) => seen.attempts > attempts);
    const pauses = [before, Date.parse(await databaseTime(db))].map((at) => {
      return Date.parse(row.wake_at) - at;
    });
    await stopRunners();
    await db.deleteFrom('operations').where('id', '=', id).execute();
    return pauses as [most: number, least: number];
  };
  const [first] = await pauseAfter(0);
  assert.ok(first >= 500);
  const [late, lateLeast] = await pauseAfter(40);
  assert.ok(late >= 30_000 && lateLeast <= 30_000);
});

test('the seconds of an operation are counted from its request, and never negative', async () => {
  const told: [string, string, number][] = [];
  const observer = {
    ended: (...about: [string, string, number]) => void told.push(about),
    retried: () => undefined,
    outputsDropped: () => undefined,
  };
  const kind = kindOf({ only: async () => fail('not_started', 'No.') });
  for (const hours of [-1, 1]) {
    const id = await enter(kind);
    const created_at = sql<string>`now() + make_interval(hours => ${hours})`;
    await db.updateTable('operations').set({ created_at }).where('id', '=', id).execute();
  }
  run(kind, { observer });
  await until('both have ended', () => told.length === 2);
  const [past, future] = told.map(([, , seconds]) => seconds).sort((one, other) => other - one);
  assert.ok(past !== undefined && past >= 3600 && past < 36_000, `${past} s`);
  assert.equal(future, 0);
  assert.deepEqual(told[0]?.slice(0, 2), ['test', 'failed']);
});

test('the last report of a step is written before its result', async () => {
  const events: string[] = [];
  const slow = watched({
    before: (text) => void (isCommit(text) && events.push('the result')),
    async after(text) {
      if (isCommit(text) || !text.includes('"progress" = greatest')) return;
      for (let turns = 0; turns < 20; turns += 1) await turn();
      events.push('the report');
    },
  });
  const kind = kindOf({
    first: async ({ report }) => {
      report(0.5, 'halfway');
      return next('second');
    },
    second: async () => done('Done.', async () => undefined),
  });
  run(kind, { db: slow });
  await untilEnded(await enter(kind));
  assert.deepEqual(events, ['the report', 'the result']);
});

test('while the database is unavailable, the release of a lease is retried as long as the lease lasts', async (t) => {
  const now = performance.now.bind(performance);
  let at: number | undefined;
  t.mock.method(performance, 'now', () => at ?? now());
  const refused = Object.assign(new Error('It is away.'), { code: 'ECONNREFUSED' });

  /** Makes attempts to release fail, with the clock at so many milliseconds after the first one. */
  async function tryToRelease(clock: number[], error: Error) {
    let tries = 0;
    let begin = 0;
    const leases = watched({
      before(text) {
        if (!text.includes('"lease_holder" = $1')) return;
        const passed = clock[tries];
        tries += 1;
        at = passed === undefined ? undefined : begin + passed;
        if (passed !== undefined) throw error;
      },
    });
    const kind = kindOf({
      only: async () => {
        begin = now();
        at = begin;
        return wait(3600, 'for long');
      },
    });
    const { log, lines } = loggedLines();
    run(kind, { leases, log });
    const id = await enter(kind);
    await until('the step was attempted', () => tries > clock.length || lines.length > 0);
    await stopRunners();
    at = undefined;
    const { lease_until } = await rowOf(id);
    await db.deleteFrom('operations').where('id', '=', id).execute();
    return [
      tries,
      lease_until === null,
      lines.map(({ msg, operation }) => [msg, operation === id]),
    ];
  }

  const lasts = leaseSeconds * 1000;
  const given = [['The processing of an operation failed.', true]];
  assert.deepEqual(await tryToRelease([0, lasts], refused), [3, true, []]);
  assert.deepEqual(await tryToRelease([0, lasts + 1], refused), [2, false, given]);
  assert.deepEqual(await tryToRelease([0], new Error('It is wrong.')), [1, false, given]);
});

const doneBySelf = ({ server }: { server: { id: number } }) =>
  doneBy('Done.', changeServer(server.id, { status: 'started' }));

for (const [how, end] of [
  ['which changes its server', doneBySelf],
  ['which writes something in a transaction', ended],
] as const) {
  test(`an operation of one step, ${how}, reads its server, and ends and is released by one statement`, async () => {
    const statements: string[] = [];
    // Neither the search for due operations nor that for times after a clock was set back.
    const note = (text: string) => {
      if (!/^with "leased"|make_interval\(hours/.test(text)) statements.push(text);
    };
    const noted = watched({ before: note });
    const kind = kindOf({ only: async (context) => end(context) });
    run(kind, { db: noted, leases: noted });
    const { lease_holder, lease_until } = await untilEnded(await enter(kind));
    await stopRunners();
    assert.deepEqual([lease_holder, lease_until], [null, null]);
    assert.deepEqual(
      statements.map((text) => text.includes('"finished_at"')),
      [false, true],
      statements.join('\n'),
    );
  });
}

test('an operation that was leased at the end of another begins before outputs are counted', async () => {
  const begun: number[] = [];
  const slow = watched({
    async after(text) {
      if (!text.includes('with counted as')) return;
      await until('the next one runs', () => begun.length === 2);
    },
  });
  const commands = [{ exit_status: 0, output: 'It is kept.', duration_ms: 1 }];
  const kind = kindOf({
    prints: async () => ({ outcome: 'next', step: 'ends', commands }),
    ends: async (context) => {
      begun.push(context.operation.id);
      return doneBySelf(context);
    },
  });
  const ids = [await enter(kind), await enter(kind)];
  run(kind, { db: slow }, { concurrency: 1 });
  for (const id of ids) await untilEnded(id);
  await stopRunners();
  assert.deepEqual(begun, ids);
});

for (const { isSteady, passed, loads } of [
  { isSteady: true, passed: 0, loads: 1 },
  { isSteady: true, passed: 1000, loads: 2 },
  { isSteady: false, passed: 0, loads: 2 },
]) {
  const what = isSteady ? 'A steady subject' : 'A subject that is not steady';
  test(`${what} is loaded ${loads} times for two steps that are ${passed} ms apart`, async (t) => {
    // The clock stands still, because a commit on a busy machine can take a second.
    const begin = performance.now();
    let later = 0;
    t.mock.method(performance, 'now', () => begin + later);
    const server = kindOf({
      first: async () => {
        later += passed;
        return next('second');
      },
      second: async () => ended(),
    });
    let loaded = 0;
    const load: typeof server.load = async (...given) => {
      loaded += 1;
      return await server.load(...given);
    };
    const kind = { ...server, isSteady, load };
    run(kind);
    await untilEnded(await enter(kind));
    assert.equal(loaded, loads);
  });
}

test('a subject that could not be loaded is loaded again', async () => {
  const server = kindOf({ only: async () => ended() });
  let loaded = 0;
  const load: typeof server.load = async (...given) => {
    loaded += 1;
    if (loaded === 1) throw new Error('Not yet.');
    return await server.load(...given);
  };
  const kind = { ...server, load };
  run(kind);
  assert.equal((await untilEnded(await enter(kind))).status, 'succeeded');
  assert.equal(loaded, 2);
});
