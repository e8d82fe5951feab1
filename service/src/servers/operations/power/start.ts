import { instanceName } from '../../../instances/labels.ts';
import { doneBy, fail, type StepResult } from '../../../operations/define.ts';
import { operationTitles } from '../../../operations/titles.ts';
import type { FailureCode } from '../../../problems/failures.ts';
import { defineServerOperation, type ServerStepContext } from '../../define-operation.ts';
import { findInstance, isRunning, startInstance } from '../../engine/engine.ts';
import { showEngineStatus } from '../../truth.ts';
import { changeServer } from '../../worker-queries.ts';

/** The errors of `start`. */
export const startFailures: readonly FailureCode[] = ['instance_missing', 'not_started'];

export const startOperation = defineServerOperation<Record<string, never>>({
  kind: 'start',
  title: operationTitles.start,
  deadlineSeconds: 5 * 60,
  first: 'start',
  failures: startFailures,
  steps: { start: { weight: 1, doing: 'asking the engine', run: start } },
  cancel: () => ({}),
  failed: showEngineStatus,
});

/** Starts the instance unless it runs. Succeeds only if the engine shows it as running. */
export async function start(
  context: Pick<ServerStepContext<unknown>, 'incus' | 'log' | 'server' | 'settings' | 'signal'>,
): Promise<StepResult<never>> {
  const { incus, server, signal } = context;
  const name = instanceName(server.uuid);
  const found = await findInstance(incus, name, { signal });
  if (!found) return fail('instance_missing', 'Its instance no longer exists in the engine.');
  if (!isRunning(found.status)) await startInstance(context, found);
  const after = await incus.instances.get(name, { signal });
  if (!isRunning(after?.status)) {
    return fail('not_started', `It is ${after?.status ?? 'gone'} after its start.`);
  }
  const state = { status: 'started', realStatus: 'started', error: null } as const;
  return doneBy('The server was started.', changeServer(server.id, state));
}
