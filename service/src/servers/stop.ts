import { isEngineError } from '../incus/errors.ts';
import {
  defineOperation,
  done,
  fail,
  type StepContext,
  type StepResult,
} from '../operations/define.ts';
import { readBeforeStop } from '../usage/collector.ts';
import { stopInstance } from './engine.ts';
import { instanceName } from './instance.ts';
import { setServerState } from './queries.ts';
import { showEngineStatus } from './truth.ts';

interface StopState {
  force: boolean;
}

export const stopOperation = defineOperation<StopState>({
  kind: 'stop',
  title: 'Stopping the server',
  deadlineSeconds: 5 * 60,
  first: 'stop',
  steps: {
    stop: {
      weight: 1,
      doing: 'asking it to shut down',
      async run(context) {
        const refused = await shutDown(context, context.operation.state.force);
        if (refused) return refused;
        return done('The server was stopped.', (trx) =>
          setServerState(trx, context.server.id, {
            status: 'stopped',
            realStatus: 'stopped',
            error: null,
          }),
        );
      },
    },
  },
  failed: showEngineStatus,
});

/** Brings the instance to a stop. Undefined once the engine was seen to have it stopped. */
export async function shutDown(
  context: StepContext<unknown>,
  force: boolean,
): Promise<StepResult<never> | undefined> {
  const { incus, server, settings, signal } = context;
  const name = instanceName(server.uuid);
  const found = await incus.instances.get(name, { signal });
  if (!found) return fail('instance_missing', 'Its instance no longer exists in the engine.');
  if (found.status === 'Stopped') return undefined;
  await keepUsage(context);
  try {
    await stopInstance(incus, name, {
      graceSeconds: force ? 0 : settings.stopTimeoutSeconds,
      signal,
    });
  } catch (error) {
    // Whatever Incus calls it, the instance is the fact.
    if (signal.aborted || isEngineError(error, 'unreachable')) throw error;
    context.log.info({ err: error }, 'The engine reports a stop that failed.');
  }
  const after = await incus.instances.get(name, { signal });
  return after?.status === 'Stopped' ? undefined : ignored(settings.stopTimeoutSeconds);
}

function ignored(seconds: number): StepResult<never> {
  return fail(
    'guest_ignored_shutdown',
    `The guest did not shut down within ${seconds} seconds, and is left running. ` +
      'Stop it with force=true to cut its power.',
  );
}

/** The engine's counters vanish with the run; what the last reading missed is read here. */
async function keepUsage({ db, incus, server, log }: StepContext<unknown>): Promise<void> {
  const read = await readBeforeStop({ db, client: incus, serverUuid: server.uuid });
  if (!read.ok) log.warn({ err: read.error }, 'The usage before a stop could not be read.');
}
