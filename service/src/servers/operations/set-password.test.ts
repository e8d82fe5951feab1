import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { EngineError } from '../../incus/transport/errors.ts';
import { operationSecrets } from '../../keys/places.ts';
import { testKeyring } from '../../testing/keys.ts';
import { setPasswordOperation } from './set-password.ts';

type Run = (typeof setPasswordOperation)['steps'][string]['run'];
type Context = Parameters<Run>[0];
type Step = 'set' | 'ask' | 'write' | 'restore';

const secretKey = testKeyring();
const sealed = secretKey.seal(operationSecrets(1, 2), { passwordHash: '$6$salt$hash' });

interface Situation {
  /** Of its instance; there is none by default. */
  status?: string;
  /** How the program in its guest ends. */
  exits?: number | EngineError;
  attempts?: number;
  state?: Partial<Context['operation']['state']>;
  secrets?: Buffer;
}

/** Runs a step in this situation. Returns its result, what the guest was given, and where room was made on its disk. */
async function resultOf(
  step: Step,
  { status, exits = 0, attempts = 0, state = {}, secrets = sealed }: Situation,
) {
  const given: string[] = [];
  const withRoom: string[] = [];
  const incus = {
    instances: { get: async (name: string) => (status === undefined ? null : { name, status }) },
    exec: {
      async run(_name: string, command: string[], input: string) {
        assert.deepEqual(withRoom, [status], 'a full disk has headroom');
        given.push(...command, input);
        if (typeof exits === 'number') return exits;
        throw exits;
      },
    },
  };
  const quotaGuardOf = async () => ({
    async withHeadroom(instance: { status: string }, part: () => Promise<unknown>) {
      withRoom.push(instance.status);
      return await part();
    },
  });
  const context = {
    incus,
    log: pino({ enabled: false }),
    operation: { id: 2, attempts, secrets, state },
    server: { id: 1, uuid: crypto.randomUUID(), passwordLogin: true },
    settings: { secretKey, quotaGuardOf },
    signal: new AbortController().signal,
  };
  const result = await setPasswordOperation.steps[step]?.run(context as unknown as Context);
  assert.ok(result);
  return { given, result };
}

const isRunning = { status: 'Running' };
const isFailure = (result: Awaited<ReturnType<Run>>, code: string, words = /./) => {
  assert.equal(result.outcome === 'fail' && result.code, code);
  assert.match(result.outcome === 'fail' ? result.message : '', words);
};

test('a running guest gets the hash by standard input, once it is recorded that it is asked', async () => {
  for (const status of ['Running', 'Ready']) {
    const first = await resultOf('set', { status });
    assert.deepEqual(first.given, []);
    assert.deepEqual(first.result, { outcome: 'next', step: 'ask', patch: { mayBeSet: true } });
    const { given, result } = await resultOf('ask', { status });
    assert.deepEqual(given, ['chpasswd', '-e', 'root:$6$salt$hash\n']);
    assert.equal(result.outcome, 'done');
  }
});

test('an exit status up to 128 is final', async () => {
  for (const [exits, words] of [
    [1, /^Its guest could not set it: chpasswd ended with 1\. Stop the server/],
    [126, /^Its guest has no chpasswd, which sets passwords\. Stop the server/],
    [127, /^Its guest has no chpasswd, which sets passwords\. Stop the server/],
    [128, /^Its guest could not set it: chpasswd ended with 128\. Stop the server/],
  ] as const) {
    const { result } = await resultOf('ask', { ...isRunning, exits });
    isFailure(result, 'password_not_set', words);
  }
});

const hangs = new EngineError('timeout', 'Executing command: still running after 5 s');
const frozen = new EngineError('invalid', 'Instance is frozen');

test('a program that was killed, did not end or was not run is tried again a few times, later', async () => {
  for (const [exits, why] of [
    [137, 'chpasswd was killed in its guest'],
    [129, 'chpasswd was killed in its guest'],
    [hangs, 'chpasswd did not end in its guest'],
    [frozen, 'the engine did not run chpasswd in its guest'],
  ] as const) {
    for (const tries of [0, 1]) {
      const { result } = await resultOf('ask', { ...isRunning, exits, state: { tries } });
      assert.deepEqual(result, {
        outcome: 'wait',
        // Longer waits than 1 s leave the worker to others.
        seconds: 2,
        why: `trying again, because ${why}`,
        patch: { tries: tries + 1 },
      });
    }
    const { result } = await resultOf('ask', { ...isRunning, exits, state: { tries: 2 } });
    isFailure(
      result,
      'password_unconfirmed',
      new RegExp(`^It is unknown whether it was set: ${why}\\. Stop .* may be in force\\.$`),
    );
  }
});

test('an engine that does not answer is asked until the deadline', async () => {
  const silent = new EngineError('timeout', 'POST /1.0/instances/web/exec: no answer within 10 s');
  const asked = resultOf('ask', { ...isRunning, exits: silent, attempts: 9, state: { tries: 2 } });
  await assert.rejects(asked, silent);
});

test('once the password may have been set, no failure says that it was not', async () => {
  const state = { mayBeSet: true };
  isFailure((await resultOf('set', { status: 'Frozen' })).result, 'guest_paused');
  const { result: paused } = await resultOf('set', { status: 'Frozen', state });
  isFailure(paused, 'password_unconfirmed', /The new password may be in force\.$/);
  for (const again of [
    { attempts: 1 },
    { state: { tries: 1 } },
    { state: { mayBeWritten: true } },
  ]) {
    const { result } = await resultOf('ask', { ...isRunning, exits: 1, ...again });
    isFailure(result, 'password_unconfirmed', /chpasswd ended with 1/);
  }
});

test('no guest gets a hash that cannot be decrypted, or while it is not as expected', async () => {
  isFailure((await resultOf('set', {})).result, 'instance_missing');
  for (const status of [undefined, 'Frozen', 'Stopped', 'Starting']) {
    const { given, result } = await resultOf('ask', status === undefined ? {} : { status });
    assert.deepEqual([given, result], [[], { outcome: 'next', step: 'set' }]);
  }
  const { result: starting } = await resultOf('set', { status: 'Starting' });
  assert.equal(starting.outcome === 'wait' && starting.seconds, 2);
  for (const [step, status] of [
    ['ask', 'Running'],
    ['write', 'Stopped'],
  ] as const) {
    const { result } = await resultOf(step, { status, secrets: Buffer.from('of another key') });
    isFailure(result, 'secrets_unreadable');
  }
});

test('a guest that was started before its disk was written is asked instead', async () => {
  for (const situation of [{ status: 'Running' }, { status: 'Frozen' }, {}]) {
    const { result } = await resultOf('write', situation);
    assert.deepEqual(result, { outcome: 'next', step: 'set', patch: { mayBeSet: true } });
  }
});

test('a file is restored only on the disk of a stopped guest, and the failure stays the same', async () => {
  const failure = { code: 'engine_failed', message: 'It failed.' } as const;
  for (const situation of [{ status: 'Running' }, { status: 'Frozen' }, {}]) {
    const { result } = await resultOf('restore', { ...situation, state: { failure } });
    assert.deepEqual(result, { outcome: 'fail', ...failure });
  }
  const { result } = await resultOf('restore', { status: 'Starting', state: { failure } });
  assert.equal(result.outcome, 'wait');
  const { recovery } = setPasswordOperation;
  assert.deepEqual(
    [recovery?.isNeeded?.({ mayBeSet: true }), recovery?.isNeeded?.({ mayBeWritten: true })],
    [false, true],
  );
});
