import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationSecrets } from '../../keys/places.ts';
import type { StepResult } from '../../operations/define.ts';
import { testSecretKey } from '../../testing/app.ts';
import { createOperation } from './create.ts';

const { boot, initialise, network } = createOperation.steps;
const place = operationSecrets(1, 2);
const canary = 'Canary-4715';
const userData = `#cloud-config\nruncmd: ${canary}\n`;
const sealed = testSecretKey.seal(place, {
  withUserData: { login: { passwordHash: '*', authorizedKeys: [] }, commands: [], userData },
});
type Context = Parameters<NonNullable<typeof boot>['run']>[0];

/** A guest with this report, which counts how often it was read. */
function guestWith(report: string) {
  let reads = 0;
  const pull = async () => {
    reads += 1;
    return { uid: 0, gid: 0, mode: 0o600, content: Buffer.from(report) };
  };
  const size = async () => report.length;
  const get = async () => ({ status: 'Running' });
  const server = { id: 1, uuid: '00000000-0000-4000-8000-000000000001' };
  const context = (state: object) =>
    ({
      ...{ incus: { files: { pull, size }, instances: { get } }, server },
      settings: { secretKey: testSecretKey },
      ...{
        signal: new AbortController().signal,
        operation: { id: 2, secrets: sealed, state, message: '', commands: null },
      },
    }) as unknown as Context;
  return { context, reads: () => reads };
}

const patchOf = (result: StepResult<object> | undefined): Record<string, unknown> =>
  result && 'patch' in result ? { ...result.patch } : {};

test('the report of a guest is read once if the guest is already done when it is first seen to work', async () => {
  const guest = guestWith('done 1 missing\n0 4 7\nran\n');
  const booted = await boot?.run(guest.context({ commands: 1 }));
  assert.ok(booted?.outcome === 'next' && booted.step === 'initialise');
  assert.deepEqual(booted.commands, [{ exit_status: 0, output: 'ran\n', duration_ms: 7 }]);
  const state = { ...patchOf(booted), commands: 1 };
  const { ssh_ready, has_place } = patchOf(booted);
  assert.deepEqual([ssh_ready, has_place], [false, false]);
  assert.deepEqual(await initialise?.run(guest.context(state)), {
    ...{ outcome: 'next', step: 'finish', patch: { unfinished: false } },
  });
  assert.equal(guest.reads(), 1);
});

test('the report of a guest that is still at work is read again', async () => {
  const guest = guestWith('running 2 ok\n0 4 7\nran\n');
  const booted = await boot?.run(guest.context({ commands: 2 }));
  assert.ok(booted?.outcome === 'next' && booted.commands === undefined);
  // It was done before, and its instance was replaced.
  const state = { commands: 2, is_done: true, ...patchOf(booted) };
  const result = await initialise?.run(guest.context(state));
  assert.ok(result?.outcome === 'wait' && result.commands?.length === 1);
  assert.equal(guest.reads(), 2);
});

const said = (status: string, schema = '') =>
  `user-data-status ${status.length}\n${status}user-data-schema ${schema.length}\n${schema}user-data-log 0\n`;
const schema = `Cloud config schema errors: runcmd: '${canary}' is not of type 'array'`;
const invalid = { status: 'degraded', errors: ["runcmd: '…' is not of type 'array'"] };
const withUserData = { commands: 1, has_user_data: true, commands_since: Date.now() };

test('a guest whose cloud-init is at work shows that, and how far it is', async () => {
  const guest = guestWith('running 0 ok\n');
  const booted = await boot?.run(guest.context(withUserData));
  assert.ok(booted?.outcome === 'next' && booted.step === 'initialise');
  const result = await initialise?.run(guest.context({ ...withUserData, ...patchOf(booted) }));
  assert.deepEqual(result, {
    ...{ outcome: 'wait', seconds: 0, why: 'carrying out its user data', fraction: 0 },
  });
});

test('what cloud-init says is recorded once, when it has ended, without the values', async () => {
  const report = `running 1 ok\n${said('{"status":"done"}', schema)}`;
  const result = await initialise?.run(guestWith(report).context(withUserData));
  assert.ok(result?.outcome === 'wait');
  assert.deepEqual([result.why, result.fraction], ['running command 1 of 1', 0.5]);
  assert.deepEqual(patchOf(result), { user_data: invalid });
  const again = { ...withUserData, ...patchOf(result) };
  assert.deepEqual(patchOf(await initialise?.run(guestWith(report).context(again))), {});
});

test('what cloud-init says is recorded if its guest is done when it is first seen to work', async () => {
  const guest = guestWith(`done 0 ok\n${said('{"status":"done"}', schema)}`);
  const booted = await boot?.run(guest.context({ ...withUserData, commands: 0 }));
  assert.deepEqual(patchOf(booted).user_data, invalid);
});

test('a guest without user data can not report on it', async () => {
  const guest = guestWith(`done 0 ok\n${said('{"status":"error"}')}`);
  const booted = await boot?.run(guest.context({ commands: 0 }));
  assert.equal(patchOf(booted).user_data, undefined);
  const state = { commands: 0, commands_since: Date.now() };
  assert.equal(patchOf(await initialise?.run(guest.context(state))).user_data, undefined);
});

test('user data of which its guest says nothing until the end is unknown', async () => {
  const unknown = { status: 'unknown', errors: [] };
  const guest = guestWith('done 0 ok\n');
  const state = { ...withUserData, commands: 0 };
  assert.deepEqual(patchOf(await boot?.run(guest.context(state))).user_data, unknown);
  assert.deepEqual(patchOf(await initialise?.run(guest.context(state))).user_data, unknown);
  const recorded = { ...state, user_data: invalid };
  assert.equal(patchOf(await initialise?.run(guest.context(recorded))).user_data, undefined);
});

test('user data that does not end holds up neither the create nor its end', async () => {
  const tooLong = { ...withUserData, commands_since: Date.now() - 3 * 3600_000 };
  const result = await initialise?.run(guestWith('running 0 ok\n').context(tooLong));
  assert.ok(result?.outcome === 'next' && result.step === 'finish');
  const { user_data, unfinished } = patchOf(result);
  assert.deepEqual([user_data, unfinished], [{ status: 'running', errors: [] }, true]);
});

test('what cloud-init has said stays if its guest does not stop, as it was to, in time', async () => {
  const recorded = { ...withUserData, user_data: invalid, commands_since: 0 };
  const report = `running 0 ok\n${said('{"status":"done"}', schema)}`;
  const result = await initialise?.run(guestWith(report).context(recorded));
  assert.ok(result?.outcome === 'next' && result.step === 'finish');
  assert.deepEqual([patchOf(result).user_data, patchOf(result).unfinished], [undefined, true]);
});

test('a boot with user data says that it may hold it up, and frees its place after a minute', async () => {
  const guest = guestWith('preparing 0 ok\n');
  const ago = (minutes: number) => ({ handed_over: Date.now() - minutes * 60_000 });
  const waiting = async (state: object) => {
    const result = await boot?.run(guest.context({ ...withUserData, ...state }));
    assert.ok(result?.outcome === 'wait');
    assert.equal(result.why, 'waiting for its system to boot with its user data');
    return result.patch;
  };
  assert.equal(await waiting({ ...ago(0), has_place: true }), undefined);
  assert.deepEqual(await waiting({ ...ago(2), has_place: true }), { has_place: false });
  assert.equal(await waiting({ ...ago(2), has_place: false }), undefined, 'it is written once');
});

/**
 * A guest that has waited for its network for the given time, and whose report is there from the poll with this number on.
 */
function guestInNetwork({ isUp = false, reportsAt = Infinity, waitedSeconds = 0, state = {} }) {
  const calls = { readings: 0, polls: 0 };
  const getState = async () => {
    calls.readings += 1;
    return { status: 'Running', network: { eth0: { addresses: isUp ? [{ address }] : [] } } };
  };
  const size = async () => {
    calls.polls += 1;
    return calls.polls < reportsAt ? null : 14;
  };
  const step_since = new Date(Date.now() - waitedSeconds * 1000).toISOString();
  const context = {
    incus: { files: { size }, instances: { getState } },
    server: { uuid: '00000000-0000-4000-8000-000000000001', addresses: [{ ip: address }] },
    signal: new AbortController().signal,
    operation: { step_since, state },
  } as unknown as Context;
  return { calls, run: async () => await network?.run(context) };
}

const address = '10.0.0.2';

test('the network of a guest with its address is up', async () => {
  const { calls, run } = guestInNetwork({ isUp: true });
  assert.deepEqual(await run(), { outcome: 'next', step: 'boot' });
  assert.deepEqual(calls, { readings: 1, polls: 0 });
});

test('a guest without its address is polled for its report, and its state is read again at once when it reports', async (t) => {
  // Otherwise a busy machine could end the polls.
  t.mock.method(performance, 'now', () => 0);
  const { calls, run } = guestInNetwork({ reportsAt: 3 });
  const patch = { has_reported: true };
  assert.deepEqual(await run(), { outcome: 'wait', seconds: 0, patch });
  assert.deepEqual(calls, { readings: 1, polls: 3 });
});

test('the state of a guest that does not report is read again without a pause after its report was awaited', async () => {
  const { calls, run } = guestInNetwork({});
  assert.deepEqual(await run(), { outcome: 'wait', seconds: 0 });
  assert.equal(calls.readings, 1);
});

test('a guest that has reported, or has been without its address for long, is not polled for its report', async () => {
  for (const [guest, seconds] of [
    [{ state: { has_reported: true } }, 0.1],
    [{ waitedSeconds: 60 }, 3],
  ] as const) {
    const { calls, run } = guestInNetwork(guest);
    const result = await run();
    assert.ok(result?.outcome === 'wait' && result.seconds >= seconds);
    assert.deepEqual(calls, { readings: 1, polls: 0 });
  }
});
