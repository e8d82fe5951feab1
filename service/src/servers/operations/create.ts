import { addressHeldByUnknown } from '../../address-pools/unknown-queries.ts';
import type { Trx } from '../../db/connection.ts';
import type { UserDataReport } from '../../db/schema/schema.ts';
import { type GuestProgress, resultPaths } from '../../guests/report.ts';
import { reportOf } from '../../guests/user-data-report.ts';
import { ensureImage, ImageServerNotAllowed, ImageServerUnreachable } from '../../images/images.ts';
import { recordImage } from '../../images/queries.ts';
import { discardPartialImage, isImageReady, markImageWhole } from '../../images/volume.ts';
import type { WaitOptions } from '../../incus/operations.ts';
import { isAddressTaken, isEngineError } from '../../incus/transport/errors.ts';
import { instanceName } from '../../instances/labels.ts';
import { lacksRules } from '../../network-policy/queries.ts';
import {
  type Cancellable,
  type Cancellation,
  done,
  fail,
  next,
  type StepResult,
  wait,
} from '../../operations/define.ts';
import type { ServerOperationRow } from '../../operations/queries.ts';
import { operationTitles } from '../../operations/titles.ts';
import {
  claimUnpacking,
  setUserDataReport,
  wipeSecretsOf,
} from '../../operations/worker-queries.ts';
import { claimCreateSlot } from '../create-queue-queries.ts';
import { defineServerOperation, type ServerStepContext } from '../define-operation.ts';
import {
  awaitOperation,
  createsInstances,
  findInstance,
  isRunning,
  nextPollSeconds,
  startInstance,
} from '../engine/engine.ts';
import { progressOf, reportChanges } from '../engine/guest-report.ts';
import { handOver } from '../engine/hand-over.ts';
import { instanceDefinition } from '../engine/instance.ts';
import { removeInstance, removeRenamedInstances } from '../engine/removal.ts';
import { failedCommands, failedIndexes, userDataClause } from '../failed-commands.ts';
import type { BeforeRebuild } from '../queries.ts';
import { showEngineStatus } from '../truth.ts';
import { setNotRebuilt, setServerState } from '../worker-queries.ts';
import { openSecrets } from './create-secrets.ts';
import { enterInitialCommands } from './initial-commands.ts';
import { type LeftVolume, removeLeftVolume } from './left-volume.ts';
import { keepUsage } from './power/shutdown.ts';

interface CreateState extends LeftVolume {
  /** The number of initial commands. */
  commands: number;
  /** It is the first create of its server, so nothing can be left of an earlier one. */
  is_first: boolean;
  /** It rebuilds the server. */
  rebuilds?: boolean;
  /** What the server had before it was to be rebuilt, if it has a system. */
  before?: BeforeRebuild;
  /** Whether what was left of an earlier create, or the system that it rebuilds, may be gone. */
  erases?: boolean;
  is_cleared?: boolean;
  has_place: boolean;
  fingerprint: string;
  /** The engine has an instance of its name, which an interrupted attempt may have left incomplete. */
  is_taken: boolean;
  /** The fingerprint of the image that this create alone unpacks on its node. */
  unpacks: string | null;
  /** When its image was first requested, in milliseconds. */
  image_since: number;
  /** When it was last started, in milliseconds. */
  last_start: number;
  /** Its guest was seen to report before it had all its addresses. */
  has_reported?: boolean;
  /** When its commands were first seen to run, in milliseconds. */
  commands_since: number;
  /** Whether its commands took too long, and continue to run. */
  unfinished: boolean;
  ssh_ready: boolean;
  /** Whether its guest has user data. */
  has_user_data?: boolean;
  /** When user data was handed over, in milliseconds. */
  handed_over?: number;
  /** What cloud-init said of its user data. The API shows it. */
  user_data?: UserDataReport | null;
  /** Its guest was done when it was first seen to work, and its results are recorded. */
  is_done: boolean;
}

type Context = ServerStepContext<CreateState>;
type Result = Promise<StepResult<CreateState>>;

const diskSeconds = 10 * 60;
/**
 * The deadline in the queue, where a create only waits for others, each of which has a deadline.
 */
const queueSeconds = 6 * 3600;
/** The poll interval, in case the notification of a free slot is lost. */
const queuePollSeconds = 30;
const rulesPollSeconds = 1;
/** Waits for the rules of the network, without which the guest could reach addresses that must be blocked. */
const waitForRules = {
  rules:
    'waiting until the network of its location has rules for what servers can reach; `network_policy` of the location has the reason',
  addresses:
    'waiting until the addresses of all nodes are known, which servers must not reach; `network_policy` of the location names the nodes',
};
/** From the queue on; also for an engine that does not answer. */
export const bootSeconds = 30 * 60;
/**
 * User data can hold up the boot of its guest, also on purpose. After this time, other creates on the node no longer wait
 * for it.
 */
const slowBootMs = 60_000;
const commandsSeconds = 2 * 3600;
/** A guest is watched if it would be polled more often than this. */
const maxWatchedSeconds = 0.5;
/** The time for the steps after the commands. */
const marginSeconds = 10 * 60;
/** The pause before a guest that crashed during its boot is restarted. */
const betweenStartsMs = 2000;
const unreadable = fail(
  'secrets_unreadable',
  'Its password, SSH keys, user data and commands cannot be decrypted, because the file secret-key was replaced. ' +
    'Rebuild the server, or delete it.',
);
/**
 * The time for which an address may still belong to an instance that is about to be removed, such
 * as one of a deleted server.
 */
const addressTimeoutMs = 150_000;
/** If an image server is unreachable for longer, the create fails with that reason. */
const imageServerTimeoutMs = 20_000;

export const createOperation = defineServerOperation<CreateState>({
  kind: 'create',
  title: operationTitles.create,
  deadlineSeconds: queueSeconds,
  first: 'queue',
  canBeRetried: true,
  failures: [
    'address_in_use',
    'disk_left',
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
    image: { weight: 20, doing: 'getting the operating system', run: image },
    clear: { weight: 1, doing: 'removing what was there before', run: clear },
    instance: { weight: 9, doing: 'making its disk', run: instance },
    handover: {
      weight: 4,
      doing: 'handing over its password, SSH keys, user data and commands',
      run: handover,
    },
    start: { weight: 5, doing: 'starting it', run: start },
    network: { weight: 10, doing: 'waiting for its network', run: network },
    boot: { weight: 25, doing: 'waiting for its system to boot', run: boot },
    initialise: { weight: 24, doing: 'running its initial commands', run: initialise },
    finish: { weight: 1, doing: 'looking at the result', run: finish },
  },
  cancel: cancellationOf,
  async failed(trx, operation, reason) {
    const { before } = operation.state as Partial<CreateState>;
    if (before && !mayHaveErased(operation)) return await keepAsItWas(trx, operation, before);
    await setServerState(trx, operation.server_id, { status: 'error', error: reason });
    await enterInitialCommands(trx, operation);
    await enterUserDataOfFailed(trx, operation);
  },
});

/**
 * A first create can be cancelled until its guest is started: nobody has used the server, so it is deleted. A retry or a
 * rebuild can be cancelled until it erases what was there before. The server of a rebuild stays as it was, and that of a
 * retry is in the state of a failed create.
 */
function cancellationOf(
  operation: Cancellable<ServerOperationRow> & { state: CreateState },
): Cancellation {
  const { server_id: id, state } = operation;
  if (state.is_first) {
    const during = ['queue', 'image', 'instance', 'handover'];
    return { during, deletesServer: true, words: ', and the server is being deleted' };
  }
  const { before, rebuilds } = state;
  const title = rebuilds ? 'Rebuilding the server' : operationTitles.create;
  if (before && !mayHaveErased(operation)) {
    const undo = (trx: Trx) => keepAsItWas(trx, operation, before);
    return { during: beforeErasing, undo, title, words: ', and the server stays as it was' };
  }
  const error = `Its ${rebuilds ? 'rebuild' : 'creation'} was cancelled.`;
  const undo = (trx: Trx) => setServerState(trx, id, { status: 'error', error });
  return { during: beforeErasing, undo, title, keepsSecrets: true };
}

const beforeErasing = ['queue', 'image'];

/** A service of the previous release does not set the state, and erases between these two steps. */
const mayHaveErased = ({
  state,
  step,
}: Pick<ServerOperationRow, 'step'> & { state: { erases?: unknown } }) =>
  step !== 'queue' && !(step === 'image' && state.erases === false);

/** After a rebuild that has erased nothing. */
async function keepAsItWas(
  trx: Trx,
  operation: Pick<ServerOperationRow, 'id' | 'server_id'>,
  before: BeforeRebuild,
): Promise<void> {
  await setNotRebuilt(trx, operation.server_id, before);
  await showEngineStatus(trx, operation);
  await wipeSecretsOf(trx, operation.id);
}

async function queue({ db, operation, server }: Context): Result {
  const lacks = await lacksRules(db, server.locationId);
  if (lacks) return wait(rulesPollSeconds, waitForRules[lacks]);
  const place = { id: operation.id, fence: operation.fence, nodeId: server.nodeId };
  const taken = await db.transaction().execute((trx) => claimCreateSlot(trx, place));
  // It is woken when there is a slot: see create-queue.ts.
  if (!taken) return wait(queuePollSeconds, 'waiting for other servers being created on its node');
  const patch = operation.state.before && { erases: false };
  return { outcome: 'next', step: 'image', deadlineSeconds: bootSeconds, ...(patch && { patch }) };
}

async function image(context: Context): Result {
  const { db, incus, operation, server, settings, signal, report } = context;
  const { imageDirectories: directories, imageServers } = settings;
  const since = operation.state.image_since ?? Date.now();
  try {
    const request = { incus, os: server.os, imageServers, directories, onProgress: report, signal };
    const { fingerprint } = await ensureImage(request);
    await recordImage(db, { osId: server.os.id, locationId: server.locationId });
    const { is_first: isFirst, is_cleared: isCleared } = operation.state;
    if (isFirst || isCleared) return next('instance', { fingerprint });
    return (await unlessForeseen(context)) ?? next('clear', { fingerprint, erases: true });
  } catch (error) {
    if (error instanceof ImageServerNotAllowed) {
      return fail('image_server_not_allowed', error.message);
    }
    if (!(error instanceof ImageServerUnreachable)) throw error;
    if (Date.now() - since > imageServerTimeoutMs) {
      return fail('image_server_unreachable', noImage(error.publicMessage, operation));
    }
    const why = `trying again to reach ${error.host}`;
    return { outcome: 'wait', seconds: 5, why, patch: { image_since: since } };
  }
}

/** The advice is about the server as this leaves it: a rebuild has not changed it yet. */
function noImage(what: string, { server_id: id, state }: Context['operation']): string {
  const advice = state.before
    ? 'The server is as it was. Send the rebuild again once the image server can be reached.'
    : `Once it can be reached, retry: POST /v1/servers/${id}/retry. Or delete the server, which counts towards the quota until then.`;
  return `${what} ${advice}`;
}

/** Fails for what would fail after everything was removed. */
async function unlessForeseen(context: Context) {
  const heldElsewhere = await unlessAddressesFree(context);
  return heldElsewhere ?? (openSecrets(context) ? undefined : unreadable);
}

/**
 * Removes all that a retry or a rebuild finds of its server, once the image is there. A guest that has run must not get
 * its commands again, so both begin with a new instance. Incus could replace the disk of the instance instead, but
 * leaves an instance without a disk if it is interrupted, and keeps the settings for another operating system.
 */
async function clear(context: Context): Result {
  const { before, erases, fingerprint } = context.operation.state;
  // A service of the previous release leads to this step before it gets the image.
  if (before && !erases) return next('image');
  await keepUsage(context);
  const notYet =
    (await removeInstance(context)) ??
    (await removeRenamedInstances(context)) ??
    (await removeLeftVolume(context, { step: 'clear', after: 'clear', again: 'retry' }));
  if (notYet) return notYet;
  return next(fingerprint ? 'instance' : 'image', { is_cleared: true });
}

async function instance(context: Context): Result {
  const { incus, operation, server, settings, signal, report } = context;
  const heldElsewhere = await unlessAddressesFree(context);
  if (heldElsewhere) return heldElsewhere;
  const { fingerprint, is_taken: isTaken } = operation.state;
  const { storagePool: pool, member } = server;
  const imageVolume = { incus, pool, member, fingerprint, signal };
  const isFirst = !(await isImageReady(imageVolume));
  // Otherwise it is not looked for, because the engine refuses a name that it has.
  const mayExist = isTaken || isFirst || operation.attempts > 0;
  const notYet = mayExist ? await removeInstance(context) : undefined;
  if (notYet) return notYet;
  if (isFirst) {
    if (!(await claimUnpackIfNeeded(context))) return wait(0.5, 'waiting for its operating system');
    await discardPartialImage(imageVolume);
  }
  const definition = instanceDefinition(server, fingerprint, settings.installationId);
  signal.throwIfAborted();
  // This is not aborted: the engine would continue anyway, and the next worker would not see it.
  const call = incus.instances.create(definition, server.member ?? undefined);
  const onProgress: WaitOptions['onProgress'] = ({ fraction }) => report(fraction ?? 0);
  try {
    const ended = await awaitOperation(incus, call, {
      signal,
      timeoutSeconds: diskSeconds,
      onProgress,
    });
    // The daemon was restarted meanwhile.
    if (ended.outcome === 'vanished') return removeFirst;
  } catch (error) {
    if (isEngineError(error, 'no_space')) return fail('no_space', poolIsFull(server));
    if (!isEngineError(error, 'already_exists')) throw error;
    return removeFirst;
  }
  if (isFirst) await markImageWhole(imageVolume);
  return next('handover', { unpacks: null, is_done: false, is_taken: false });
}

const removeFirst = { outcome: 'wait', seconds: 0.1, patch: { is_taken: true } } as const;

/**
 * Claims the unpacking of its image on the node. Returns false if another create is unpacking, including a superseded
 * one, because the engine continues with that.
 */
async function claimUnpackIfNeeded({
  db,
  incus,
  operation,
  server,
  signal,
}: Context): Promise<boolean> {
  const { id, fence, state } = operation;
  const claim = { id, fence, nodeId: server.nodeId, fingerprint: state.fingerprint };
  if (!(await db.transaction().execute((trx) => claimUnpacking(trx, claim)))) return false;
  return !(await createsInstances(incus, server.member, { signal }));
}

function poolIsFull({ storagePool, node }: Context['server']): string {
  return (
    `The storage pool ${storagePool} is full on the node ${node}, so the disk of the server could not be created. ` +
    'Make room there, such as by deleting servers that are no longer needed, then retry.'
  );
}

async function handover(context: Context): Result {
  const { incus, server, signal } = context;
  const name = instanceName(server.uuid);
  const found = await findInstance(incus, name, { signal });
  if (!found) return next('instance');
  const secrets = openSecrets(context);
  // A running guest already has all files. Pushing them again would repeat its commands.
  if (!isRunning(found.status)) {
    if (!secrets) return unreadable;
    await handOver(context, found, secrets);
  }
  if (secrets?.userData === undefined) return next('start');
  return next('start', { has_user_data: true, user_data: null, handed_over: Date.now() });
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
    // An instance that is being removed releases the address within a few syncs.
    const waited = Date.now() - Date.parse(operation.step_since);
    const failure = await unlessAddressesFree(context);
    if (failure) return failure;
    if (waited > addressTimeoutMs)
      return fail('address_in_use', addressInUse('one of its addresses'));
    throw error;
  }
  return next('network', { last_start: Date.now(), ...placeDuringBoot(operation).patch });
}

/** Frees its place if its user data takes long to boot. Otherwise nothing is written. */
function placeDuringBoot({ state }: Context['operation']): { patch?: Partial<CreateState> } {
  const { handed_over: since = Date.now(), has_place: hasPlace } = state;
  const isSlow = hasPlace !== false && Date.now() - since > slowBootMs;
  return isSlow ? { patch: { has_place: false } } : {};
}

/** Fails if an instance without a server has an address of this one: retrying would not help. */
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
  const state = await incus.instances.getState(instanceName(server.uuid), { signal });
  if (!isRunning(state?.status)) return await notRunning(context, state?.status);
  const seen = Object.values(state?.network ?? {}).flatMap((nic) => nic.addresses);
  const up = server.addresses.every(({ ip }) => seen.some(({ address }) => address === ip));
  if (up) return next('boot');
  const seconds = nextPollSeconds(operation);
  const pause = { outcome: 'wait', seconds, ...placeDuringBoot(operation) } as const;
  if (operation.state.has_reported || seconds > maxWatchedSeconds) return pause;
  // Guests report once their network is up.
  const hasReported = await reportChanges(context, null);
  return {
    ...{ ...pause, seconds: 0 },
    ...(hasReported && { patch: { ...pause.patch, has_reported: true } }),
  };
}

/** Ends when the guest has started to work on its handover files. */
async function boot(context: Context): Result {
  const { operation } = context;
  const progress = await progressOf(context);
  if ('outcome' in progress) return progress;
  const { phase, results, sshReady, bytes } = progress;
  if (phase === 'booting') {
    return (await unlessRunning(context)) ?? (await waitForBoot(context, bytes));
  }
  const isDone = phase === 'done';
  // The rest may take hours and is done by the guest, so other creates need not wait for it.
  const patch = {
    ...{ has_place: false, is_done: isDone },
    ...(isDone && { ssh_ready: sshReady, ...newsOfUserData(context, progress) }),
  };
  // Each look at the files of a guest costs its node, so a last report is not read again.
  const commands = isDone ? { commands: results } : {};
  const goOn = { outcome: 'next', step: 'initialise', ...commands } as const;
  // After a restart of the service, the commands have the rest of their time.
  if (operation.state.commands_since !== undefined) return { ...goOn, patch };
  return {
    ...goOn,
    patch: { ...patch, commands_since: Date.now() },
    deadlineSeconds: commandsSeconds + marginSeconds,
  };
}

/** Its user data may hold up its boot, even forever. The message says so, and the failure after the deadline. */
async function waitForBoot(context: Context, bytes: number | null): Result {
  const { message, state } = context.operation;
  if (!state.has_user_data) return wait(await untilNews(context, bytes));
  const isShown = message.includes(bootsWithUserData);
  const seconds = isShown ? await untilNews(context, bytes) : 0;
  const place = placeDuringBoot(context.operation);
  return { outcome: 'wait', seconds, why: bootsWithUserData, ...place };
}

const bootsWithUserData = 'waiting for its system to boot with its user data';

async function initialise(context: Context): Result {
  const { operation } = context;
  const { commands: total, commands_since: since, is_done: isDone } = operation.state;
  if (isDone) return next('finish', { unfinished: false });
  const progress = await progressOf(context);
  if ('outcome' in progress) return progress;
  const { phase, finished, results, sshReady, bytes } = progress;
  if (phase === 'failed') {
    return fail(
      'initialisation_failed',
      'Its password, its SSH keys or the settings of its SSH server could not be set, or its disk is full.',
    );
  }
  const unfinished = phase !== 'done';
  const told = newsOfUserData(context, progress);
  if (!unfinished || Date.now() - since > commandsSeconds * 1000) {
    const isLate = progress.awaitsUserData && !operation.state.user_data;
    const late = isLate && { user_data: stillRunning };
    const patch = { ssh_ready: sshReady, unfinished, ...late, ...told };
    return { outcome: 'next', step: 'finish', commands: results, patch };
  }
  const stopped = await unlessRunning(context);
  if (stopped) return stopped;
  const doing = doingOf(progress, total);
  const parts = total + (operation.state.has_user_data ? 1 : 0);
  const ended = finished + (progress.userData ? 1 : 0);
  const fraction = ended / (parts || 1);
  if (told || results.length > (operation.commands?.length ?? 0)) {
    const patch = told && { patch: told };
    return { outcome: 'wait', seconds: 0, why: doing, fraction, commands: results, ...patch };
  }
  // The message is updated before the next report is waited for.
  const isShown = operation.message.includes(doing);
  return wait(isShown ? await untilNews(context, bytes) : 0, doing, fraction);
}

function doingOf({ awaitsUserData, finished, results }: GuestProgress, total: number): string {
  if (awaitsUserData) return 'carrying out its user data';
  const failed = failedCommands(results).length;
  const at = `running command ${Math.min(finished + 1, total)} of ${total}`;
  return failed === 0 ? at : `${at} (${failed} failed so far)`;
}

/** What cloud-init said of the user data, if it is not recorded yet. At the end, a guest may have failed to say so. */
function newsOfUserData(context: Context, { phase, userData }: GuestProgress) {
  const { has_user_data: isExpected, user_data: recorded } = context.operation.state;
  if (!isExpected || recorded) return undefined;
  if (userData) return { user_data: reportOf(userData, openSecrets(context)?.userData) };
  return phase === 'done' ? { user_data: notSaid } : undefined;
}

/** After a failure before cloud-init has said anything. It may have held up the boot until the deadline. */
async function enterUserDataOfFailed(trx: Trx, operation: ServerOperationRow): Promise<void> {
  const { has_user_data: isExpected, user_data: recorded } =
    operation.state as Partial<CreateState>;
  if (!isExpected || recorded) return;
  const boots = operation.step === 'network' || operation.step === 'boot';
  await setUserDataReport(trx, operation.id, boots ? stillRunning : notSaid);
}

const stillRunning: UserDataReport = { status: 'running', errors: [] };
const notSaid: UserDataReport = { status: 'unknown', errors: [] };

/** Waits for another report; returns how many seconds to wait until the next poll. */
async function untilNews(context: Context, bytes: number | null): Promise<number> {
  const seconds = nextPollSeconds(context.operation);
  // A step that has waited for long frees its worker.
  if (seconds > maxWatchedSeconds) return seconds;
  await reportChanges(context, bytes);
  return 0;
}

async function unlessRunning(context: Context) {
  const { incus, server, signal } = context;
  // Does not read its state, which lists all network interfaces that the guest has created.
  const found = await incus.instances.get(instanceName(server.uuid), { signal });
  return isRunning(found?.status) ? undefined : await notRunning(context, found?.status);
}

/**
 * A command may have powered off the guest. When it is started again, it continues with the next
 * command.
 */
async function notRunning({ incus, server, signal }: Context, status: string | undefined): Result {
  if (status === 'Stopped') return next('start');
  const isThere = status ?? (await findInstance(incus, instanceName(server.uuid), { signal }));
  // The instance was removed by hand, and the handover files with it.
  return isThere ? wait(1, 'waiting for it to run') : next('instance');
}

/** How often removing the handover folder in the guest is attempted. */
const maxCleanupAttempts = 3;

async function finish(context: Context): Result {
  const { incus, operation, server, signal, log } = context;
  const name = instanceName(server.uuid);
  const found = await incus.instances.get(name, { signal });
  // The last command may have powered it off.
  const status = isRunning(found?.status) ? 'started' : 'stopped';
  if (status === 'stopped' && found?.status !== 'Stopped')
    return await notRunning(context, found?.status);
  // Commands that are still running need the files.
  for (const path of operation.state.unfinished ? [] : resultPaths) {
    await incus.files.delete(name, path, { signal }).catch((error) => {
      if (isEngineError(error, 'not_found')) return;
      // The guest reports its end before it has removed the last files. The guest may cause a
      // timeout, so timeouts count as attempts.
      const isPassing = isEngineError(error, 'unreachable');
      if (isPassing || operation.attempts < maxCleanupAttempts) throw error;
      // The guest may have created something else there. The create does not fail because of that.
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
  const { rebuilds, ssh_ready, unfinished, user_data: userData } = state;
  const failed = failedIndexes(failedCommands(commands));
  const late =
    userData?.status === 'running' ? 'user data and its initial commands' : 'initial commands';
  const clause = userDataClause(userData);
  const troubles = [
    ...(ssh_ready ? [] : ['it has no SSH server and none could be installed']),
    ...(unfinished
      ? [`its ${late} did not end within ${commandsSeconds / 3600} hours and run on`]
      : []),
    ...(clause ? [`${clause}; see user_data`] : []),
    ...(failed ? [failed] : []),
  ];
  const what = `The server was ${rebuilds ? 'rebuilt' : 'created'}`;
  return troubles.length === 0 ? `${what}.` : `${what}, but ${troubles.join(', and ')}.`;
}
