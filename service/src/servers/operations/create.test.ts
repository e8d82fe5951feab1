import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StepResult } from '../../operations/define.ts';
import { createOperation } from './create.ts';

const { boot, initialise } = createOperation.steps;
type Context = Parameters<NonNullable<typeof boot>['run']>[0];

/** A guest with this report, which counts how often it was read. */
function guestWith(report: string) {
  let reads = 0;
  const pull = async () => {
    reads += 1;
    return { uid: 0, gid: 0, mode: 0o600, content: Buffer.from(report) };
  };
  const get = async () => ({ status: 'Running' });
  const server = { uuid: '00000000-0000-4000-8000-000000000001' };
  const context = (state: object) =>
    ({
      ...{ incus: { files: { pull }, instances: { get } }, server },
      ...{
        signal: new AbortController().signal,
        operation: { state, message: '', commands: null },
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
