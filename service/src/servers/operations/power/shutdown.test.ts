import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineError } from '../../../incus/transport/errors.ts';
import type { ServerStepContext } from '../../define-operation.ts';
import { awaitShutDown, type ShutdownState } from './shutdown.ts';

/** A stop that the engine has not ended, asked for so many seconds ago. */
function stopping(seconds: number, end: () => Promise<unknown>) {
  const waits: string[] = [];
  const operations = {
    get: async () => ({ id: 'asked', status_code: 103 }),
    wait: async (id: string) => {
      waits.push(id);
      return await end();
    },
  };
  const since = new Date(Date.now() - seconds * 1000).toISOString();
  const context = {
    incus: { operations, instances: { get: async () => ({ status: 'Running' }) } },
    operation: { step_since: since, state: { asked: { operation: 'asked', at: Date.now() } } },
    server: { id: 1, uuid: crypto.randomUUID() },
    settings: { stopTimeoutSeconds: 600 },
    signal: new AbortController().signal,
  };
  return { waits, context: context as unknown as ServerStepContext<ShutdownState> };
}

test('the end of a stop is followed in the engine, whatever it is', async () => {
  const ends = [
    async () => ({ outcome: 'succeeded' }),
    async () => ({ outcome: 'vanished' }),
    () => Promise.reject(new EngineError('timeout', 'It is still running.')),
  ];
  for (const end of ends) {
    const { waits, context } = stopping(1, end);
    assert.deepEqual(await awaitShutDown(context), { outcome: 'wait', seconds: 0 });
    assert.deepEqual(waits, ['asked']);
  }
  // A call that is refused at once must not be repeated at once.
  const refused = stopping(1, () => Promise.reject(new EngineError('failed', 'It failed.')));
  const result = await awaitShutDown(refused.context);
  assert.ok(result?.outcome === 'wait' && result.seconds > 0);
  const unreachable = new EngineError('unreachable', 'It does not answer.');
  const { context } = stopping(1, () => Promise.reject(unreachable));
  await assert.rejects(awaitShutDown(context), unreachable);
});

test('a stop that takes long occupies no worker', async () => {
  const { waits, context } = stopping(60, () => Promise.reject(new Error('Nobody waits.')));
  const result = await awaitShutDown(context);
  assert.ok(result?.outcome === 'wait' && result.seconds > 1);
  assert.deepEqual(waits, []);
});
