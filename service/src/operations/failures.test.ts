import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { withDeadline } from '../incus/transport/deadline.ts';
import { EngineError, errorFromConnection, errorFromIncus } from '../incus/transport/errors.ts';
import {
  ended,
  enter,
  kindOf,
  loggedLines,
  rowOf,
  run,
  type State,
  untilEnded,
} from '../testing/operations.ts';
import { until } from '../testing/until.ts';
import { fail, type StepResult } from './define.ts';

test('a step that throws is retried, and the reason is kept', async () => {
  let runs = 0;
  const kind = kindOf({
    only: async (): Promise<StepResult<State>> => {
      runs += 1;
      if (runs < 3) throw new EngineError('unreachable', 'The engine is away.');
      return ended();
    },
  });
  run(kind);
  const id = await enter(kind);
  await until('it runs again', () => runs >= 2);
  assert.match((await rowOf(id)).last_error ?? '', /The engine is away/);
  assert.equal((await untilEnded(id)).status, 'succeeded');
});

test('the stack of an error is logged, unless Incus is only busy', async () => {
  const { log, lines } = loggedLines();
  const errors = [
    new EngineError('unreachable', 'The engine is away.'),
    new EngineError('busy', 'The instance is busy.'),
  ];
  const kind = kindOf({
    only: async (): Promise<StepResult<State>> => {
      const error = errors.shift();
      if (error) throw error;
      return ended();
    },
  });
  run(kind, { log });
  await untilEnded(await enter(kind));
  const logged = lines
    .filter(({ msg }) => msg === 'A step of an operation failed. It will be retried.')
    .map(({ err, reason, step }) => [(err as Error | undefined)?.message, reason, step]);
  assert.deepEqual(logged, [
    ['The engine is away.', undefined, 'only'],
    [undefined, 'The instance is busy.', 'only'],
  ]);
});

test('a permanent error ends the operation, and its reason is shown', async () => {
  const kind = kindOf({
    only: async () => {
      throw new EngineError('invalid', 'No such thing.');
    },
  });
  run(kind);
  const row = await untilEnded(await enter(kind));
  assert.equal(row.status, 'failed');
  assert.deepEqual(row.error, { code: 'engine_invalid', message: 'No such thing.' });
});

test('if a connection to the engine fails, users see that the node does not answer', async () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  let isAway = true;
  const kind = kindOf({
    only: async (): Promise<StepResult<State>> => {
      if (isAway) throw errorFromConnection(refused, '/run/incus.socket');
      return ended();
    },
  });
  run(kind);
  const id = await enter(kind);
  const { message, last_error } = await until(
    'its error is stored',
    () => rowOf(id),
    (row) => row.last_error !== null,
  );
  isAway = false;
  assert.match(message, /^Testing: retrying because the node does not answer$/);
  assert.equal(
    last_error,
    'Incus could not be reached: the connection was refused (ECONNREFUSED)',
    'operators see the cause',
  );
  await untilEnded(id);
});

test('if a call times out, users do not see which one it was', async () => {
  let isSilent = true;
  const untilAborted = async (signal: AbortSignal): Promise<never> => {
    await once(signal, 'abort');
    throw signal.reason;
  };
  const deadline = { what: 'GET /1.0/instances/srv-1', timeoutSeconds: 0.01 };
  const kind = kindOf({
    only: async (): Promise<StepResult<State>> =>
      isSilent ? await withDeadline(deadline, untilAborted) : ended(),
  });
  run(kind);
  const id = await enter(kind);
  const { message, last_error } = await until(
    'its error is stored',
    () => rowOf(id),
    (row) => row.last_error !== null,
  );
  isSilent = false;
  assert.match(message, /^Testing: retrying because the engine did not answer in time$/);
  assert.equal(last_error, 'GET /1.0/instances/srv-1: no answer within 0.01 s', 'operators see it');
  await untilEnded(id);
});

test('only operators see messages of the engine: neither a retry nor the end of an operation shows them', async () => {
  const raw = 'Failed to run: btrfs subvolume create /var/lib/incus/disk: exit status 1';
  let runs = 0;
  const kind = kindOf({
    only: async () => {
      runs += 1;
      if (runs < 3) throw errorFromIncus(raw);
      throw errorFromIncus(`${raw}: Invalid`);
    },
  });
  run(kind);
  const id = await enter(kind);
  await until(
    'its error is stored',
    () => rowOf(id),
    (row) => row.last_error !== null,
  );
  const { message } = await rowOf(id);
  assert.doesNotMatch(message, /btrfs/);
  assert.match(message, /^Testing: retrying because the engine reported a failure$/);
  const { error, message: last } = await untilEnded(id);
  assert.deepEqual(error, { code: 'engine_invalid', message: 'The engine refused the request.' });
  assert.doesNotMatch(last, /btrfs/);
});

test('the text of an internal error is never shown', async () => {
  let runs = 0;
  const kind = kindOf({
    only: async () => {
      runs += 1;
      if (runs === 1) throw new Error('password=hunter2');
      return fail('not_started', 'It is refused.');
    },
  });
  run(kind);
  const id = await enter(kind);
  await until('it runs again', async () => {
    assert.doesNotMatch(JSON.stringify(await rowOf(id)), /hunter2/);
    return runs >= 2;
  });
  assert.deepEqual((await untilEnded(id)).error, {
    code: 'not_started',
    message: 'It is refused.',
  });
});
