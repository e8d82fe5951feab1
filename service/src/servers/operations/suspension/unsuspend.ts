import { release } from '../../../instances/autostart.ts';
import { instanceName } from '../../../instances/labels.ts';
import { done, next, type StepResult, wait } from '../../../operations/define.ts';
import { operationTitles } from '../../../operations/titles.ts';
import { defineServerOperation, type ServerStepContext } from '../../define-operation.ts';
import { findInstance, isBusy } from '../../engine/engine.ts';
import { showEngineStatus } from '../../truth.ts';
import { start, startFailures } from '../power/start.ts';
import { renameAgain } from '../rename.ts';

interface UnsuspendState {
  /** Whether it is started, because it ran before its suspension. */
  starts: boolean;
  /** Whether it ran before its suspension, and is not started because its traffic policy stops it. */
  isHeld?: true;
}

type Context = ServerStepContext<UnsuspendState>;
type Result = Promise<StepResult<UnsuspendState>>;

/**
 * Starts a server again whose suspension has ended with the request. Its end enters a rename again that the suspension
 * has superseded.
 */
export const unsuspendOperation = defineServerOperation<UnsuspendState>({
  kind: 'unsuspend',
  title: operationTitles.unsuspend,
  deadlineSeconds: 5 * 60,
  first: 'release',
  failures: startFailures,
  steps: {
    release: { weight: 1, doing: 'allowing its start', run: releaseInstance },
    start: { weight: 4, doing: 'starting it', run: startAgain },
  },
  async failed(trx, operation) {
    await showEngineStatus(trx, operation);
    await renameAgain(trx, operation);
  },
});

async function releaseInstance({ incus, operation, server, signal }: Context): Result {
  const name = instanceName(server.uuid);
  if (await findInstance(incus, name, { signal })) {
    await incus.instances.change(name, release, { signal });
  }
  const { starts, isHeld } = operation.state;
  if (starts) return next('start');
  const why = isHeld ? 'its traffic allowance is used up' : 'it did not run when it was suspended';
  return done(`The server was unsuspended. It was not started, because ${why}.`, (trx) =>
    renameAgain(trx, operation),
  );
}

async function startAgain(context: Context): Result {
  const { incus, server, signal } = context;
  // A suspension that was superseded may have asked the guest to shut down, which still looks running.
  if (await isBusy(incus, instanceName(server.uuid), { signal })) return stillStopping;
  const result = await start(context);
  if (result.outcome !== 'done') return result;
  return done('The server was unsuspended and started.', async (trx) => {
    await ('change' in result ? result.change(trx).execute() : result.write(trx));
    await renameAgain(trx, context.operation);
  });
}

const stillStopping = wait(0.5, 'waiting for another task of the engine to end');
