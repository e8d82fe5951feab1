import { instanceName } from '../../../instances/labels.ts';
import { doneBy, fail, type StepResult } from '../../../operations/define.ts';
import { operationTitles } from '../../../operations/titles.ts';
import { defineServerOperation, type ServerStepContext } from '../../define-operation.ts';
import { findInstance, isRunning, setFrozen } from '../../engine/engine.ts';
import { showEngineStatus } from '../../truth.ts';
import { changeServer } from '../../worker-queries.ts';

export const unpauseOperation = defineServerOperation<Record<string, never>>({
  kind: 'unpause',
  title: operationTitles.unpause,
  deadlineSeconds: 2 * 60,
  first: 'unpause',
  failures: ['instance_missing', 'not_unpaused'],
  steps: { unpause: { weight: 1, doing: 'asking the engine', run: unpause } },
  cancel: () => ({}),
  failed: showEngineStatus,
});

/** Lets a frozen guest continue. Succeeds only if the engine shows it as running. */
async function unpause(context: ServerStepContext<unknown>): Promise<StepResult<never>> {
  const { incus, server, signal } = context;
  const name = instanceName(server.uuid);
  const found = await findInstance(incus, name, { signal });
  if (!found) return fail('instance_missing', 'Its instance no longer exists in the engine.');
  if (found.status === 'Frozen') await setFrozen(incus, name, false, { signal });
  const after = await incus.instances.get(name, { signal });
  if (!isRunning(after?.status)) {
    return fail('not_unpaused', `It is ${after?.status ?? 'gone'}, so it could not continue.`);
  }
  const state = { status: 'started', realStatus: 'started', error: null } as const;
  return doneBy('The server was unpaused.', changeServer(server.id, state));
}
