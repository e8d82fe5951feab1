import { hold } from '../../../instances/autostart.ts';
import { instanceName } from '../../../instances/labels.ts';
import { done, doneBy, fail, next, type StepResult } from '../../../operations/define.ts';
import { operationTitles } from '../../../operations/titles.ts';
import { defineServerOperation, type ServerStepContext } from '../../define-operation.ts';
import { findInstance } from '../../engine/engine.ts';
import { showEngineStatus } from '../../truth.ts';
import { changeInstalledServer } from '../../worker-queries.ts';
import { askToShutDown, awaitShutDown, forceStop, type ShutdownState } from '../power/shutdown.ts';

interface SuspendState extends ShutdownState {
  /** Whether its guest did not shut down, or could not hear the request, and its power was cut. */
  wasCut: boolean;
  /** Whether the guest could not hear it because the server was paused. */
  wasPaused: boolean;
}

type Context = ServerStepContext<SuspendState>;
type Result = Promise<StepResult<SuspendState>>;

/** Stops a suspended server, by force in the end. It was suspended by the request. */
export const suspendOperation = defineServerOperation<SuspendState>({
  kind: 'suspend',
  title: operationTitles.suspend,
  deadlineSeconds: 5 * 60,
  first: 'stop',
  failures: ['instance_missing'],
  steps: {
    stop: { weight: 1, doing: 'asking it to shut down', run: stop },
    shutdown: { weight: 7, doing: 'waiting for it to shut down', run: shutdown },
    cut: { weight: 1, doing: 'cutting its power', run: cut },
    hold: { weight: 1, doing: 'keeping it from being started with its node', run: holdInstance },
  },
  failed: showEngineStatus,
});

async function stop(context: Context): Result {
  // A server whose creation failed may have none. Its creation can't be retried while it is suspended.
  if (!(await find(context))) return done(suspended, async () => {});
  return unlessDeaf(await askToShutDown(context)) ?? next('hold');
}

async function shutdown(context: Context): Result {
  return unlessDeaf(await awaitShutDown(context)) ?? next('hold');
}

/** In place of the failure of a guest that is paused, or ignores its shutdown: cuts its power. */
function unlessDeaf(result: StepResult<SuspendState> | undefined) {
  if (result?.outcome !== 'fail') return result;
  const wasPaused = result.code === 'guest_paused';
  const isDeaf = wasPaused || result.code === 'guest_ignored_shutdown';
  return isDeaf ? next<SuspendState>('cut', { wasCut: true, wasPaused }) : result;
}

async function cut(context: Context): Result {
  return (await forceStop(context)) ?? next('hold');
}

async function holdInstance(context: Context): Result {
  const { incus, operation, server, signal } = context;
  const found = await find(context);
  if (!found) return fail('instance_missing', 'Its instance no longer exists in the engine.');
  // Somebody has started it since.
  if (found.status !== 'Stopped') return next('stop');
  await incus.instances.change(instanceName(server.uuid), hold, { signal });
  const state = { status: 'stopped', realStatus: 'stopped', error: null } as const;
  return doneBy(outcomeInWords(operation.state), changeInstalledServer(server.id, state));
}

const suspended = 'The server was suspended.';

function outcomeInWords({ wasCut, wasPaused }: Partial<SuspendState>): string {
  if (!wasCut) return suspended;
  const why = wasPaused ? 'It was paused' : 'Its guest did not shut down';
  return `${suspended} ${why}, so its power was cut.`;
}

function find({ incus, server, signal }: Context) {
  return findInstance(incus, instanceName(server.uuid), { signal });
}
