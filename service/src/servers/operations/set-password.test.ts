import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineError } from '../../incus/transport/errors.ts';
import { operationSecrets } from '../../keys/places.ts';
import { testKeyring } from '../../testing/keys.ts';
import type { ServerStepContext } from '../define-operation.ts';
import { setPasswordOperation } from './set-password.ts';

type Context = ServerStepContext<Record<string, never>>;

const secretKey = testKeyring();
const sealed = secretKey.seal(operationSecrets(1, 2), { passwordHash: '$6$salt$hash' });

interface Situation {
  /** Of its instance; there is none by default. */
  status?: string;
  /** How the program in its guest ends. */
  exits?: number | EngineError;
  attempts?: number;
  secrets?: Buffer;
}

/** Runs a step in this situation. Returns its result, and what the guest was given. */
async function resultOf(
  step: 'set' | 'write',
  { status, exits = 0, attempts = 0, secrets = sealed }: Situation,
) {
  const given: string[] = [];
  const incus = {
    instances: { get: async (name: string) => (status === undefined ? null : { name, status }) },
    exec: {
      async run(_name: string, command: string[], input: string) {
        given.push(...command, input);
        if (typeof exits === 'number') return exits;
        throw exits;
      },
    },
  };
  const context = {
    incus,
    operation: { id: 2, attempts, secrets },
    server: { id: 1, uuid: crypto.randomUUID(), passwordLogin: true },
    settings: { secretKey },
    signal: new AbortController().signal,
  };
  const result = await setPasswordOperation.steps[step]?.run(context as unknown as Context);
  assert.ok(result);
  return { given, result };
}

test('a running guest gets the hash by standard input', async () => {
  for (const status of ['Running', 'Ready']) {
    const { given, result } = await resultOf('set', { status });
    assert.deepEqual(given, ['chpasswd', '-e', 'root:$6$salt$hash\n']);
    assert.equal(result.outcome, 'done');
  }
});

test('a program that was killed is run again, and any other failure is final', async () => {
  const { result: killed } = await resultOf('set', { status: 'Running', exits: 137 });
  assert.equal(killed.outcome, 'wait');
  for (const exits of [1, 126, 127, 128]) {
    const { result } = await resultOf('set', { status: 'Running', exits });
    assert.equal(result.outcome === 'fail' && result.code, 'password_not_set');
  }
});

test('a program that does not end is given up, but not one of an engine that does not answer', async () => {
  const status = 'Running';
  const hangs = new EngineError('timeout', 'Executing command: still running after 5 s');
  const silent = new EngineError('timeout', 'POST /1.0/instances/web/exec: no answer within 10 s');
  for (const [exits, attempts] of [
    [hangs, 0],
    [hangs, 1],
    [silent, 2],
  ] as const) {
    await assert.rejects(resultOf('set', { status, exits, attempts }), exits);
  }
  const { result } = await resultOf('set', { status, exits: hangs, attempts: 2 });
  assert.deepEqual(
    [result.outcome === 'fail' && result.code, result.outcome === 'fail' && result.message],
    [
      'password_not_set',
      'Its guest could not set it: chpasswd did not end. ' +
        'Stop the server and set the password then: it is written to its disk.',
    ],
  );
});

test('no guest gets a hash that cannot be decrypted, or while it is not as expected', async () => {
  for (const [status, code] of [
    [undefined, 'instance_missing'],
    ['Frozen', 'guest_paused'],
  ] as const) {
    const { given, result } = await resultOf('set', status === undefined ? {} : { status });
    assert.deepEqual([given, result.outcome === 'fail' && result.code], [[], code]);
  }
  const { given, result } = await resultOf('set', { status: 'Starting' });
  assert.deepEqual([given, result.outcome], [[], 'wait']);
  for (const [step, status] of [
    ['set', 'Running'],
    ['write', 'Stopped'],
  ] as const) {
    const { result } = await resultOf(step, { status, secrets: Buffer.from('of another key') });
    assert.equal(result.outcome === 'fail' && result.code, 'secrets_unreadable');
  }
});

test('a guest that was started before its disk was written is asked instead', async () => {
  for (const state of [{ status: 'Running' }, { status: 'Frozen' }, {}]) {
    const { result } = await resultOf('write', state);
    assert.equal(result.outcome === 'next' && result.step, 'set');
  }
});
