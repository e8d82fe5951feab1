import { releaseAddresses } from '../../address-pools/queries.ts';
import type { Instance } from '../../incus/instances.ts';
import { EngineError, isEngineError } from '../../incus/transport/errors.ts';
import { instanceName, labelsOf } from '../../instances/labels.ts';
import { done, fail, next, type StepResult, wait } from '../../operations/define.ts';
import { operationTitles } from '../../operations/titles.ts';
import { defineServerOperation } from '../define-operation.ts';
import { differencesOf } from '../engine/drift.ts';
import {
  awaitOperation,
  isBusy,
  isRunning,
  renameInstance,
  startInstance,
  stopInstance,
  withDiskHeadroom,
} from '../engine/engine.ts';
import { factsOf, foreignObstacles } from '../engine/facts.ts';
import { putBack } from '../engine/repair.ts';
import { markServerDeleted, setServerState } from '../worker-queries.ts';
import {
  copy,
  discard,
  findOriginal,
  remove,
  removeCopy,
  wordsOfOriginal,
} from './adoption/copy.ts';
import {
  type AdoptState,
  afterSeconds,
  busy,
  type Context,
  find,
  maxAttempts,
  missing,
  original,
  type Result,
  whenStopped,
} from './adoption/state.ts';
import { startFailures } from './power/start.ts';

/** For Incus, in addition to the time of the guest. */
const marginSeconds = 15;
const startSeconds = 120;

/**
 * Makes an instance that was there before the instance of a new server, with its disk and its addresses. Incus renames a
 * stopped instance only, so a running one is restarted. Until it has the labels of the server, a failure undoes
 * everything; from then on it is a server. The labels come last, since Berth removes instances with the labels of servers
 * that are deleted. An instance of another Incus project is copied, see `adoption/copy.ts`.
 */
export const adoptOperation = defineServerOperation<AdoptState>({
  kind: 'adopt',
  title: operationTitles.adopt,
  deadlineSeconds: afterSeconds,
  first: 'look',
  failures: [...startFailures, 'drift_not_adoptable', 'guest_paused'],
  steps: {
    look: { weight: 1, doing: 'looking at it', run: look },
    stop: { weight: 4, doing: 'shutting it down', run: stop },
    cut: { weight: 1, doing: 'cutting its power', run: cut },
    rename: { weight: 1, doing: 'giving it the name of its server', run: rename },
    copy: { weight: 4, doing: 'copying it to the Incus project of the location', run: copy },
    discard: { weight: 0, doing: 'removing an incomplete copy', run: discard },
    remove: { weight: 1, doing: 'removing it from its Incus project', run: remove },
    define: { weight: 2, doing: 'giving it the configuration of its server', run: define },
    start: { weight: 3, doing: 'starting it', run: start },
    recover: { weight: 0, doing: 'bringing it back to how it was', run: recover },
  },
  recovery: { step: 'recover', deadlineSeconds: 6 * 3600 },
  async failed(trx, operation, reason) {
    const { instance, isBack, isDefined, left, project } = operation.state as Partial<AdoptState>;
    const id = operation.server_id;
    if (isDefined) {
      const status = left ?? 'stopped';
      const state = { status, realStatus: status, error: null };
      return await setServerState(trx, id, { ...state, installed: true });
    }
    // It is not known what the instance has, and nothing of it may be lost.
    if (!isBack) {
      const of = project === undefined ? '' : ` in the Incus project ${project}`;
      const error = `${reason} ${unclear(`${instance}${of}`)}`;
      return await setServerState(trx, id, { status: 'error', error });
    }
    await releaseAddresses(trx, id);
    await markServerDeleted(trx, id);
  },
});

const unclear = (instance: string) =>
  `Its instance is called ${instance}, or by the UUID of the server. In the latter case, rename it in Incus before you ` +
  'delete the server, which would delete it as well.';

const isRenamed = ({ name }: Instance, { server }: Context) => name === instanceName(server.uuid);

const paused = fail(
  'guest_paused',
  'The instance is paused, so its guest cannot shut down. Resume or stop it in Incus first.',
);

async function look(context: Context): Result {
  const found = await find(context);
  if (!found) return missing;
  if (found.status === 'Frozen') return paused;
  const ran = isRunning(found.status);
  if (!ran && found.status !== 'Stopped') return wait(2, 'waiting for the engine to say how it is');
  const obstacle = await obstacleOf(found, context);
  if (obstacle !== undefined) return fail('drift_not_adoptable', obstacle);
  if (!ran) return whenStopped(context, { ran });
  const deadlineSeconds = context.settings.stopTimeoutSeconds + afterSeconds;
  return { outcome: 'next', step: 'stop', patch: { ran }, deadlineSeconds };
}

/** Why it can't be adopted, if it was changed after the sweep that found it. */
async function obstacleOf(found: Instance, context: Context): Promise<string | undefined> {
  const { incus, operation, server, settings, signal } = context;
  const place = { network: server.network, pool: server.storagePool };
  const { diskGb, mac, obstacles } = factsOf(found, null, place);
  const { project } = operation.state;
  if (project !== undefined) {
    const of = await incus.projects.get(project, { signal });
    obstacles.push(...foreignObstacles(found, of, settings.installationId));
  }
  if (obstacles.length > 0) return obstacles.join(' ');
  const isSame = mac === server.mac && (diskGb ?? 0) <= server.diskGb;
  return isSame ? undefined : 'It was changed in Incus meanwhile. Try again in a minute.';
}

async function stop(context: Context): Result {
  const { settings, signal } = context;
  const incus = original(context);
  const found = await find(context);
  if (!found) return missing;
  if (await isBusy(incus, found.name, { signal })) return busy;
  if (found.status === 'Stopped') return whenStopped(context);
  if (found.status === 'Frozen') return paused;
  const graceSeconds = settings.stopTimeoutSeconds;
  const change = { action: 'stop', force: false, graceSeconds } as const;
  try {
    const call = incus.instances.updateState(found.name, change, { signal });
    await awaitOperation(incus, call, { signal, timeoutSeconds: graceSeconds + marginSeconds });
  } catch (error) {
    // Its guest ignores the request.
    if (isEngineError(error, 'timeout')) return next('cut', { wasCut: true });
    throw error;
  }
  return wait(0.1);
}

async function cut(context: Context): Result {
  const { signal } = context;
  const found = await find(context);
  if (!found) return missing;
  if (found.status === 'Stopped') return whenStopped(context);
  await stopInstance(original(context), found.name, { signal });
  return wait(0.1);
}

async function rename(context: Context): Result {
  const { incus, server, signal } = context;
  const found = await find(context);
  if (!found) return missing;
  if (isRenamed(found, context)) return next('define');
  if (await isBusy(incus, found.name, { signal })) return busy;
  // Somebody has started it again.
  if (found.status !== 'Stopped') return next('stop', { ran: true });
  await renameOnce(context, found.name, instanceName(server.uuid));
  return next('define');
}

/** Another worker may have renamed it since it was found, which the next step sees. */
async function renameOnce({ incus, signal }: Context, name: string, newName: string) {
  await renameInstance(incus, name, newName, { signal }).catch((error: unknown) => {
    if (!isEngineError(error, 'not_found')) throw error;
  });
}

async function define(context: Context): Result {
  const { incus, server, settings, signal } = context;
  const { installationId } = settings;
  const found = await find(context);
  if (!found) return missing;
  if (!isRenamed(found, context)) return next('rename');
  const differences = differencesOf(server, found, installationId);
  if (differences.length === 0) return next('start', { isDefined: true });
  await withDiskHeadroom(context, found, () => putBack(incus, server, installationId, { signal }));
  const after = await find(context);
  const [other] = after ? differencesOf(server, after, installationId) : [];
  if (other) throw new EngineError('failed', `${other.path} still differs after it was set.`);
  return wait(0);
}

async function start(context: Context): Result {
  const { operation, server } = context;
  const found = await find(context);
  if (!found) return missing;
  const { ran } = operation.state;
  if (ran && !isRunning(found.status)) await startInstance(context, found);
  const after = ran ? await find(context) : found;
  if (ran && !isRunning(after?.status))
    return fail('not_started', `It is ${after?.status ?? 'gone'} after its start.`);
  const status = isRunning(after?.status) ? 'started' : 'stopped';
  return done(adopted(context), (trx) =>
    setServerState(trx, server.id, { status, realStatus: status, error: null, installed: true }),
  );
}

function adopted({ operation, server, settings }: Context): string {
  const { instance, lost, project, ran, wasCut } = operation.state;
  const of = project === undefined ? '' : ` of the Incus project ${project}`;
  const { stopTimeoutSeconds: seconds } = settings;
  return [
    `The instance ${instance}${of} was adopted as the server ${server.hostname}.`,
    ...(lost.length > 0 ? [`It no longer has the addresses ${lost.join(', ')}.`] : []),
    ...(wasCut ? [`Its guest did not shut down within ${seconds} s, so its power was cut.`] : []),
    ...(ran ? ['It was restarted for that.'] : []),
  ].join(' ');
}

/**
 * Gives the instance its name back, unless it has the labels of its server, which then stays. Starts it again if it was
 * running. Removes a copy that need not be whole.
 */
async function recover(context: Context): Result {
  const { incus, operation, server, signal } = context;
  const { failure, instance, isBack, isCopied, isDefined, left, project } = operation.state;
  const notYet = project !== undefined && !isCopied && (await removeCopy(context));
  if (notYet) return notYet;
  const found = await find(context);
  // Somebody has deleted the copy.
  if (isCopied && !isDefined && !found && (await findOriginal(context)))
    return now({ isCopied: false });
  const of = isCopied ? incus : original(context);
  if (found && (await isBusy(of, found.name, { signal }))) return busy;
  if (found && !isDefined && labelsOf(found).server === server.uuid)
    return now({ isDefined: true });
  if (isDefined) {
    if (left === undefined) return now({ left: await startAgain(context, found) });
    const end = `The instance was adopted all the same.${await wordsOfOriginal(context)}`;
    return fail(failure.code, `${failure.message} ${end}`);
  }
  if (found && isRenamed(found, context)) {
    if (found.status !== 'Stopped') {
      await stopInstance(incus, found.name, { signal });
      return now({ ran: true });
    }
    await renameOnce(context, found.name, instance);
    return wait(0.1);
  }
  if (!isBack) return now({ isBack: true });
  if (!found) return fail(failure.code, `${failure.message} The instance no longer exists.`);
  const isStopped = (await startAgain(context, found)) === 'stopped' && operation.state.ran;
  const end = isStopped ? 'was not adopted, and is stopped now.' : 'was not adopted.';
  return fail(failure.code, `${failure.message} The instance ${end}`);
}

const now = (patch: Partial<AdoptState>): StepResult<AdoptState> => ({
  ...{ outcome: 'wait', seconds: 0, patch },
});

/** Starts it again if it was running. Returns whether it runs. */
async function startAgain(context: Context, found: Instance | null): Promise<AdoptState['left']> {
  const { log, operation, signal } = context;
  if (found?.status !== 'Stopped') return found ? 'started' : 'stopped';
  const { isDefined, ran } = operation.state;
  if (!ran) return 'stopped';
  try {
    if (isDefined) await startInstance(context, found);
    else {
      const incus = original(context);
      const call = incus.instances.updateState(found.name, { action: 'start' }, { signal });
      await awaitOperation(incus, call, { signal, timeoutSeconds: startSeconds });
    }
    return 'started';
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (error.retryable && operation.attempts < maxAttempts) throw error;
    log.warn({ err: error }, 'An instance could not be started after an adoption that failed.');
    return 'stopped';
  }
}
