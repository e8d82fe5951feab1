import { addressHeldByUnknown } from '../../address-pools/unknown-queries.ts';
import { handoverFiles } from '../../guests/handover.ts';
import { resultPaths } from '../../guests/progress.ts';
import { ensureImage, ImageServerNotAllowed, ImageServerUnreachable } from '../../images/images.ts';
import { noteImage } from '../../images/queries.ts';
import { discardPartialImage, isImageReady, markImageWhole } from '../../images/volume.ts';
import type { WaitOptions } from '../../incus/operations.ts';
import { isAddressTaken, isEngineError } from '../../incus/transport/errors.ts';
import { instanceName } from '../../instances/labels.ts';
import { operationSecrets } from '../../keys/places.ts';
import { lacksRules } from '../../network-policy/queries.ts';
import { done, fail, next, type StepResult, wait } from '../../operations/define.ts';
import { claimUnpacking } from '../../operations/worker-queries.ts';
import { takeCreatePlace } from '../create-queue-queries.ts';
import { defineServerOperation, type ServerStepContext } from '../define-operation.ts';
import {
  createsInstances,
  findInstance,
  isRunning,
  settle,
  startInstance,
  untilNextLook,
} from '../engine/engine.ts';
import { progressOf } from '../engine/guest-report.ts';
import { instanceDefinition } from '../engine/instance.ts';
import { removeInstance } from '../engine/removal.ts';
import { failedCommands, failedIndexes } from '../failed-commands.ts';
import { setServerState } from '../worker-queries.ts';
import { enterInitialCommands } from './initial-commands.ts';

/** What a create hands to its operation, encrypted until it ends. */
export interface CreateSecrets {
  passwordHash: string;
  commands: (string | string[])[];
}

interface CreateState {
  /** How many initial commands there are. */
  commands: number;
  has_place: boolean;
  fingerprint: string;
  /** The image that it alone unpacks on its node, as a fingerprint. */
  unpacks: string | null;
  /** When its image was first asked for, in milliseconds. */
  image_since: number;
  /** When it was last started, in milliseconds. */
  last_start: number;
  /** When its commands were first seen to run, in milliseconds. */
  commands_since: number;
  /** Its commands took longer than they may, and run on by themselves. */
  unfinished: boolean;
  ssh_ready: boolean;
}

type Context = ServerStepContext<CreateState>;
type Result = Promise<StepResult<CreateState>>;

const diskSeconds = 10 * 60;
/** In the queue only others are waited for, and each of them has its limit. */
const queueSeconds = 6 * 3600;
/** Should it go unheard that there is a place. */
const queueLookSeconds = 30;
const rulesLookSeconds = 1;
/** Its guest may reach whatever the rules do not close. */
const untilRuled = {
  rules:
    "waiting for its network to get rules for what servers reach; its location's network_policy has the reason",
  addresses:
    "waiting until all addresses of the nodes, which servers must not reach, are known; its location's network_policy names the nodes",
};
const bootSeconds = 30 * 60;
const commandsSeconds = 2 * 3600;
/** For what is left to do after the commands. */
const marginSeconds = 10 * 60;
/** A guest that dies as it boots is not started over and over without a pause. */
const betweenStartsMs = 2000;
const secretsUnreadable =
  'Its password and commands can no longer be read: the file secret-key is not the one they were kept with. ' +
  'Delete the server and create it again.';
/** For an instance that is about to go, such as one of a deleted server. */
const addressPatienceMs = 150_000;
/** An image server that is away for longer ends the create, with a word about it. */
const imageServerPatienceMs = 20_000;

export const createOperation = defineServerOperation<CreateState>({
  kind: 'create',
  title: 'Creating the server',
  deadlineSeconds: queueSeconds,
  first: 'queue',
  canBeRetried: true,
  failures: [
    'address_in_use',
    'guest_report_replaced',
    'guest_report_unreadable',
    'image_server_not_allowed',
    'image_server_unreachable',
    'initialisation_failed',
    'no_space',
    'secrets_unreadable',
  ],
  steps: {
    queue: { weight: 1, doing: 'waiting for its turn', run: queue },
    clear: { weight: 1, doing: 'removing what an earlier try left', run: clear },
    image: { weight: 20, doing: 'getting the operating system', run: image },
    instance: { weight: 9, doing: 'making its disk', run: instance },
    handover: { weight: 4, doing: 'handing over its password and commands', run: handover },
    start: { weight: 5, doing: 'starting it', run: start },
    network: { weight: 10, doing: 'waiting for its network', run: network },
    boot: { weight: 25, doing: 'waiting for its system to boot', run: boot },
    initialise: { weight: 24, doing: 'running its initial commands', run: initialise },
    finish: { weight: 1, doing: 'looking at the result', run: finish },
  },
  async failed(trx, operation, reason) {
    await setServerState(trx, operation.server_id, { status: 'error', error: reason });
    await enterInitialCommands(trx, operation);
  },
});

async function queue({ db, operation, server }: Context): Result {
  const lacks = await lacksRules(db, server.locationId);
  if (lacks) return wait(rulesLookSeconds, untilRuled[lacks]);
  const place = { id: operation.id, nodeId: server.nodeId };
  const taken = await db.transaction().execute((trx) => takeCreatePlace(trx, place));
  // It is woken when there is a place: see create-queue.ts.
  if (!taken) return wait(queueLookSeconds, 'waiting for other servers being created on its node');
  return { outcome: 'next', step: 'clear', deadlineSeconds: bootSeconds };
}

/** A guest that has run must not be handed its commands again: a new try begins with a new one. */
async function clear(context: Context): Result {
  return (await removeInstance(context)) ?? next('image');
}

async function image(context: Context): Result {
  const { db, incus, operation, server, settings, signal, report } = context;
  const { imageDirectories: directories, imageServers } = settings;
  const since = operation.state.image_since ?? Date.now();
  try {
    const request = { incus, os: server.os, imageServers, directories, onProgress: report, signal };
    const { fingerprint } = await ensureImage(request);
    await noteImage(db, { osId: server.os.id, locationId: server.locationId });
    return next('instance', { fingerprint });
  } catch (error) {
    if (error instanceof ImageServerNotAllowed) {
      return fail('image_server_not_allowed', error.message);
    }
    if (!(error instanceof ImageServerUnreachable)) throw error;
    if (Date.now() - since > imageServerPatienceMs) {
      return fail('image_server_unreachable', error.publicMessage);
    }
    const why = `trying again to reach ${error.host}`;
    return { outcome: 'wait', seconds: 5, why, patch: { image_since: since } };
  }
}

async function instance(context: Context): Result {
  const { incus, operation, server, settings, signal, report } = context;
  const heldElsewhere = await unlessAddressesFree(context);
  if (heldElsewhere) return heldElsewhere;
  // One that is there may be half made: by a daemon that was killed, or a try that was cut short.
  const notYet = await removeInstance(context);
  if (notYet) return notYet;
  const { fingerprint } = operation.state;
  const { storagePool: pool, member } = server;
  const imageVolume = { incus, pool, member, fingerprint, signal };
  const isFirst = !(await isImageReady(imageVolume));
  if (isFirst) {
    if (!(await maybeUnpack(context))) return wait(0.5, 'waiting for its operating system');
    await discardPartialImage(imageVolume);
  }
  const definition = instanceDefinition(server, fingerprint, settings.installationId);
  signal.throwIfAborted();
  // Not to be aborted: the engine would go on all the same, unseen by who comes next.
  const call = incus.instances.create(definition, server.member ?? undefined);
  const onProgress: WaitOptions['onProgress'] = ({ fraction }) => report(fraction ?? 0);
  try {
    const ended = await settle(incus, call, { signal, timeoutSeconds: diskSeconds, onProgress });
    // The daemon was started anew meanwhile: what it has of the instance may be half of it.
    if (ended.outcome === 'vanished') return wait(0.1);
  } catch (error) {
    if (isEngineError(error, 'no_space')) return fail('no_space', poolIsFull(server));
    if (!isEngineError(error, 'already_exists')) throw error;
    return wait(0.5);
  }
  if (isFirst) await markImageWhole(imageVolume);
  return next('handover', { unpacks: null });
}

/**
 * Whether it may unpack its image on its node: nobody else does. Also none whose operation was
 * superseded, for the engine carries on with that.
 */
async function maybeUnpack({ db, incus, operation, server, signal }: Context): Promise<boolean> {
  const { fingerprint } = operation.state;
  const claim = { id: operation.id, nodeId: server.nodeId, fingerprint };
  if (!(await db.transaction().execute((trx) => claimUnpacking(trx, claim)))) return false;
  return !(await createsInstances(incus, server.member, { signal }));
}

function poolIsFull({ storagePool, node }: Context['server']): string {
  return (
    `The storage pool ${storagePool} is full on the node ${node}, so the disk of the server could not be created. ` +
    'Make room there, such as by deleting servers that are no longer needed, then retry.'
  );
}

async function handover({ incus, operation, server, settings, signal }: Context): Result {
  const name = instanceName(server.uuid);
  const found = await findInstance(incus, name, { signal });
  if (!found) return next('instance');
  // A guest that runs has been handed everything: pushing again would repeat its commands.
  if (isRunning(found.status)) return next('start');
  const sealed = operation.secrets;
  const place = operationSecrets(server.id, operation.id);
  const secrets = sealed && settings.secretKey.open<CreateSecrets>(place, sealed);
  if (!secrets) return fail('secrets_unreadable', secretsUnreadable);
  for (const { path, ...file } of handoverFiles(secrets)) {
    await incus.files.push(name, path, file, { signal });
  }
  return next('start');
}

async function start(context: Context): Result {
  const { incus, operation, server, signal } = context;
  const name = instanceName(server.uuid);
  const found = await findInstance(incus, name, { signal });
  if (!found) return next('instance');
  if (isRunning(found.status)) return next('network');
  const since = Date.now() - (operation.state.last_start ?? 0);
  if (since >= 0 && since < betweenStartsMs) return wait(2, 'waiting to start it again');
  try {
    await startInstance(context, found);
  } catch (error) {
    if (!isAddressTaken(error)) throw error;
    // An instance that is about to go lets go of it within a few sweeps.
    const waited = Date.now() - Date.parse(operation.step_since);
    const failure = await unlessAddressesFree(context);
    if (failure) return failure;
    if (waited > addressPatienceMs)
      return fail('address_in_use', addressInUse('one of its addresses'));
    throw error;
  }
  return next('network', { last_start: Date.now() });
}

/** Fails where an instance that is of no server has an address of this one: trying would not mend it. */
async function unlessAddressesFree({ db, server, log }: Context) {
  const held = await addressHeldByUnknown(db, server.id);
  if (!held) return undefined;
  log.warn(held, 'An unknown instance has the address of a new server.');
  return fail('address_in_use', addressInUse(`its address ${held.ip}`));
}

const addressInUse = (what: string) =>
  `Another instance in the engine has ${what}. Delete the server and create it again: it gets other addresses.`;

async function network(context: Context): Result {
  const { incus, operation, server, signal } = context;
  const name = instanceName(server.uuid);
  const state = await incus.instances.getState(name, { signal });
  if (!isRunning(state?.status)) return await notRunning(context, state?.status);
  const seen = Object.values(state?.network ?? {}).flatMap((nic) => nic.addresses);
  const up = server.addresses.every(({ ip }) => seen.some(({ address }) => address === ip));
  return up ? next('boot') : wait(untilNextLook(operation));
}

/** Ends when the guest is seen to work on what was handed over to it. */
async function boot(context: Context): Result {
  const { operation } = context;
  const progress = await progressOf(context);
  if ('outcome' in progress) return progress;
  const { phase } = progress;
  if (phase === 'booting') return (await unlessRunning(context)) ?? wait(untilNextLook(operation));
  const since = operation.state.commands_since;
  // After a restart in its midst it has what is left of its time.
  if (since !== undefined) return next('initialise', { has_place: false });
  return {
    outcome: 'next',
    step: 'initialise',
    // The rest may take hours, and is the guest's own work: others need not wait for it.
    patch: { has_place: false, commands_since: Date.now() },
    deadlineSeconds: commandsSeconds + marginSeconds,
  };
}

async function initialise(context: Context): Result {
  const { operation } = context;
  const { commands: total, commands_since: since } = operation.state;
  const progress = await progressOf(context);
  if ('outcome' in progress) return progress;
  const { phase, finished, results, sshReady } = progress;
  if (phase === 'failed') {
    return fail('initialisation_failed', 'Its password could not be set, or its disk is full.');
  }
  const unfinished = phase !== 'done';
  if (!unfinished || Date.now() - since > commandsSeconds * 1000) {
    const patch = { ssh_ready: sshReady, unfinished };
    return { outcome: 'next', step: 'finish', commands: results, patch };
  }
  const stopped = await unlessRunning(context);
  if (stopped) return stopped;
  const failed = failedCommands(results).length;
  const at = `running command ${Math.min(finished + 1, total)} of ${total}`;
  const doing = failed === 0 ? at : `${at} (${failed} failed so far)`;
  const fraction = finished / (total || 1);
  const seconds = untilNextLook(operation);
  const news = results.length > (operation.commands?.length ?? 0);
  return { outcome: 'wait', seconds, why: doing, fraction, ...(news && { commands: results }) };
}

async function unlessRunning(context: Context) {
  const { incus, server, signal } = context;
  // Not its state, which lists all interfaces that its guest has made.
  const found = await incus.instances.get(instanceName(server.uuid), { signal });
  return isRunning(found?.status) ? undefined : await notRunning(context, found?.status);
}

/** A command may power the guest off: started again, it goes on with the next one. */
async function notRunning({ incus, server, signal }: Context, status: string | undefined): Result {
  if (status === 'Stopped') return next('start');
  const isThere = status ?? (await findInstance(incus, instanceName(server.uuid), { signal }));
  // Removed by hand: what was handed over to it went with it.
  return isThere ? wait(1, 'waiting for it to run') : next('instance');
}

/** How often a guest's folder is tried to be removed. */
const cleaningTries = 3;

async function finish(context: Context): Result {
  const { incus, operation, server, signal, log } = context;
  const name = instanceName(server.uuid);
  const found = await incus.instances.get(name, { signal });
  // Its last command may have powered it off.
  const status = isRunning(found?.status) ? 'started' : 'stopped';
  if (status === 'stopped' && found?.status !== 'Stopped')
    return await notRunning(context, found?.status);
  // Commands that run on still need them.
  for (const path of operation.state.unfinished ? [] : resultPaths) {
    await incus.files.delete(name, path, { signal }).catch((error) => {
      if (isEngineError(error, 'not_found')) return;
      // The guest says that it is done before it has removed the last of what was ours.
      // A time-out may be the guest's doing, so that it counts.
      const isPassing = isEngineError(error, 'unreachable');
      if (isPassing || operation.attempts < cleaningTries) throw error;
      // It may have put something of its own there: that is no fault of the create.
      log.warn(
        { err: error, path },
        'The report of a new guest could not be removed from the guest.',
      );
    });
  }
  return done(finishedSentence(operation), async (trx) => {
    const state = { status, realStatus: status, error: null, installed: true } as const;
    await setServerState(trx, server.id, state);
    await enterInitialCommands(trx, operation);
  });
}

function finishedSentence({ state, commands }: Context['operation']): string {
  const { ssh_ready, unfinished } = state;
  const failed = failedIndexes(failedCommands(commands));
  const troubles = [
    ...(ssh_ready ? [] : ['it has no SSH server and none could be installed']),
    ...(unfinished
      ? [`its initial commands did not end within ${commandsSeconds / 3600} hours and run on`]
      : []),
    ...(failed ? [failed] : []),
  ];
  if (troubles.length === 0) return 'The server was created.';
  return `The server was created, but ${troubles.join(', and ')}.`;
}
