import { EngineError, isEngineError } from '../incus/errors.ts';
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
  if (found.status === 'Frozen' && !force) return deaf;
  await keepUsage(context);
  const graceSeconds = force ? 0 : settings.stopTimeoutSeconds;
  const failure = await failureOf(stopInstance(incus, name, { graceSeconds, signal }));
  // Whatever Incus says of the stop, the instance is the fact.
  const after = await incus.instances.get(name, { signal });
  if (after?.status === 'Stopped') return undefined;
  if (!force && isEngineError(failure, 'timeout')) return ignored(graceSeconds);
  throw failure ?? new EngineError('failed', 'The engine stopped it, but shows it running.');
}

/** Undefined when all went well. An engine out of reach says nothing of the instance: thrown. */
async function failureOf(stopping: Promise<void>): Promise<unknown> {
  try {
    await stopping;
    return undefined;
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === 'unreachable') throw error;
    return error;
  }
}

const deaf = fail(
  'guest_paused',
  'The server is paused, so its guest can not hear the request. Stop it with force=true.',
);

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
