import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { deniedCalls } from '../instances/confinement.ts';
import { instanceName } from '../instances/labels.ts';
import { reconcileConfinement } from './confinement.ts';

const [free, stopped, silent, machine, confined] = Array.from({ length: 5 }, () =>
  instanceName(crypto.randomUUID()),
) as [string, string, string, string, string];

const of = (name: string, more: Partial<Instance> = {}) =>
  ({ name, type: 'container', status: 'Running', config: {}, ...more }) as Instance;

const instances = [
  of(free),
  of(stopped, { status: 'Stopped' }),
  of(silent, { status: 'Error' }),
  of(machine, { type: 'virtual-machine' }),
  of(confined, { config: deniedCalls }),
  of('of-somebody'),
];

/** Runs the reconciler. Returns the changed instances, the log lines, and the number of unconfined instances. */
async function keep(error?: Error) {
  const { signal } = new AbortController();
  const lines: string[] = [];
  const changed: string[] = [];
  const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  const change = async (name: string, _: unknown, options: { signal?: AbortSignal }) => {
    assert.equal(options.signal, signal);
    changed.push(name);
    if (error) throw error;
  };
  const client = { instances: { change } } as unknown as IncusClient;
  const count = await reconcileConfinement({ client, log, signal }, instances);
  const said = (lines as unknown as { level: number; instance: string; msg: string }[]).map(
    ({ level, instance, msg }) => ({ level, instance, msg }),
  );
  return { changed, said, count };
}

test('unconfined containers of servers are confined, and those that still run unconfined are counted', async () => {
  const { changed, said, count } = await keep();
  assert.deepEqual(changed, [free, stopped]);
  const msg = 'A server will be confined when it is next started.';
  assert.deepEqual(
    said,
    [free, stopped].map((instance) => ({ level: 30, instance, msg })),
  );
  assert.equal(count, 1);
});

test('a failure is logged, and does not prevent others from being confined', async () => {
  const { changed, said, count } = await keep(new EngineError('busy', 'Not now.'));
  assert.deepEqual(changed, [free, stopped]);
  const msg = 'A server could not be confined.';
  assert.deepEqual(
    said,
    [free, stopped].map((instance) => ({ level: 40, instance, msg })),
  );
  assert.equal(count, 1);
});

test('an error that is not of the engine is thrown', async () => {
  await assert.rejects(keep(new TypeError('of ours')), /of ours/);
});
