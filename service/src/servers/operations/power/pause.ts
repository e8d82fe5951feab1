import { instanceName } from '../../../instances/labels.ts';
import { doneBy, fail, type StepResult } from '../../../operations/define.ts';
import { operationTitles } from '../../../operations/titles.ts';
import { defineServerOperation, type ServerStepContext } from '../../define-operation.ts';
import { findInstance, isRunning, setFrozen } from '../../engine/engine.ts';
import { showEngineStatus } from '../../truth.ts';
import { changeServer } from '../../worker-queries.ts';

export const pauseOperation = defineServerOperation<Record<string, never>>({
  kind: 'pause',
  title: operationTitles.pause,
  deadlineSeconds: 2 * 60,
  first: 'pause',
  failures: ['instance_missing', 'not_paused'],
  steps: { pause: { weight: 1, doing: 'asking the engine', run: pause } },
  cancel: () => ({}),
  failed: showEngineStatus,
});

/** Freezes the guest unless it is frozen. Succeeds only if the engine shows it as frozen. */
async function pause(context: ServerStepContext<unknown>): Promise<StepResult<never>> {
  const { incus, server, signal } = context;
  const name = instanceName(server.uuid);
  const found = await findInstance(incus, name, { signal });
  if (!found) return fail('instance_missing', 'Its instance no longer exists in the engine.');
  if (isRunning(found.status)) await setFrozen(incus, name, true, { signal });
  const after = await incus.instances.get(name, { signal });
  // Without support by the kernel, Incus reports success, and the guest runs on.
  if (after?.status !== 'Frozen') {
    return fail('not_paused', `It is ${after?.status ?? 'gone'}, and could not be frozen.`);
  }
  const state = { status: 'paused', realStatus: 'paused', error: null } as const;
  return doneBy('The server was paused.', changeServer(server.id, state));
}
