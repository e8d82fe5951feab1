import type { Operation } from '../incus/api.ts';
import type { IncusClient } from '../incus/client.ts';
import {
  isUnderWay,
  type OperationOutcome,
  operationInstances,
  type WaitOptions,
} from '../incus/operations.ts';

const startSeconds = 120;
const deleteSeconds = 300;
/** What Incus may take beyond the guest's own time to shut down. */
const stopMarginSeconds = 30;

type Signal = { signal: AbortSignal };

/** Waits for the operation that a call starts. `vanished`: the instance itself tells the outcome. */
export async function settle(
  incus: IncusClient,
  call: Promise<Operation>,
  options: WaitOptions,
): Promise<OperationOutcome> {
  const { id } = await call;
  return await incus.operations.wait(id, options);
}

export async function startInstance(incus: IncusClient, name: string, { signal }: Signal) {
  const call = incus.instances.updateState(name, { action: 'start' }, { signal });
  await settle(incus, call, { signal, timeoutSeconds: startSeconds });
}

/** `graceSeconds` is the guest's time to shut down; 0 cuts its power. */
export async function stopInstance(
  incus: IncusClient,
  name: string,
  { graceSeconds, signal }: Signal & { graceSeconds: number },
) {
  const change =
    graceSeconds === 0
      ? ({ action: 'stop', force: true } as const)
      : ({ action: 'stop', force: false, graceSeconds } as const);
  const call = incus.instances.updateState(name, change, { signal });
  await settle(incus, call, { signal, timeoutSeconds: graceSeconds + stopMarginSeconds });
}

export async function deleteInstance(incus: IncusClient, name: string, { signal }: Signal) {
  const call = incus.instances.delete(name, { signal });
  await settle(incus, call, { signal, timeoutSeconds: deleteSeconds });
}

/** Whether the engine still works on an instance, or on making one of that name. */
export async function isBusy(incus: IncusClient, name: string, { signal }: Signal) {
  const operations = await incus.operations.list({ signal });
  return operations.some((o) => isUnderWay(o) && operationInstances(o).includes(name));
}

export async function hasVolume(
  incus: IncusClient,
  volume: { pool: string; name: string },
  { signal }: Signal,
): Promise<boolean> {
  const volumes = await incus.storage.listVolumes(volume.pool, { signal });
  return volumes.some(({ name }) => name === volume.name);
}
