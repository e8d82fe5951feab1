import { forgetSecrets } from '../../changes/idempotency.ts';
import { shadowBackupPath, shadowPath } from '../../guests/shadow.ts';
import type { Instance } from '../../incus/instances.ts';
import { EngineError, isEngineError } from '../../incus/transport/errors.ts';
import { instanceName } from '../../instances/labels.ts';
import { operationSecrets } from '../../keys/places.ts';
import { done, type Failure, fail, next, type StepResult, wait } from '../../operations/define.ts';
import type { OperationRow } from '../../operations/queries.ts';
import { operationTitles } from '../../operations/titles.ts';
import type { FailureCode } from '../../problems/failures.ts';
import { defineServerOperation, type ServerStepContext } from '../define-operation.ts';
import { findInstance, isRunning, withDiskHeadroom } from '../engine/engine.ts';
import { setInGuest } from '../engine/root-password.ts';
import { copyHashes, restoreHashes, writeHashes } from '../engine/shadow.ts';
import { showEngineStatus } from '../truth.ts';
import { pausedAdvice } from './power/force-advice.ts';

/** The secrets of the operation, which are stored encrypted until it ends. */
export interface PasswordSecrets {
  passwordHash: string;
}

interface State extends Failure {
  /** Whether an earlier step may have set it. */
  mayBeSet: boolean;
  /** How often the guest did not answer whether it has set it. */
  tries: number;
  /** Whether its disk may have been written, so that a part of a file may be left. */
  mayBeWritten: boolean;
}

type Context = ServerStepContext<State>;
type Result = Promise<StepResult<State>>;

/** After these failures, root has the previous password. After any other, it is unknown. */
export const nothingWasSet: readonly FailureCode[] = [
  'guest_paused',
  'instance_missing',
  'password_not_set',
];

/** How often a guest is asked that does not answer: its node may be slow, or it may be shutting down. */
const mostTries = 3;
/** Longer than a wait that keeps the worker. */
const againSeconds = 2;
const awaitStatus = wait(againSeconds, 'waiting for the engine to say how it is');

/** Sets the password of root: at once in a running guest, for its next start on the disk of a stopped one. */
export const setPasswordOperation = defineServerOperation<State>({
  kind: 'set_password',
  title: operationTitles.set_password,
  deadlineSeconds: 5 * 60,
  first: 'set',
  failures: [...nothingWasSet, 'password_unconfirmed', 'secrets_unreadable'],
  steps: {
    set: { weight: 1, doing: 'looking at the state of the server', run: set },
    ask: { weight: 1, doing: 'handing it over to the guest', run: ask },
    write: { weight: 1, doing: 'writing it to its disk', run: write },
    restore: { weight: 0, doing: 'restoring its file of passwords', run: restore },
  },
  // The engine may be unreachable for as long as an operation may take.
  recovery: {
    step: 'restore',
    deadlineSeconds: 6 * 3600,
    isNeeded: ({ mayBeWritten }) => mayBeWritten === true,
  },
  cancel: ({ server_id: id }) => ({ undo: (trx) => forgetSecrets(trx, id) }),
  async failed(trx, operation) {
    const wasNotSet = nothingWasSet.some((code) => code === operation.error?.code);
    if (wasNotSet) await forgetSecrets(trx, operation.server_id);
    await showEngineStatus(trx, operation);
  },
});

/** Whether an operation may leave a part of a file on the disk of its server if it ends now. */
export const isWritingPassword = ({ kind, step }: Pick<OperationRow, 'kind' | 'step'>) =>
  kind === setPasswordOperation.kind && (step === 'write' || step === 'restore');

/** Chooses how it is set, and prepares the disk of a stopped server. */
async function set(context: Context): Result {
  const found = await find(context);
  if (!found) return fail('instance_missing', 'Its instance no longer exists in the engine.');
  const { name, status } = found;
  if (status === 'Frozen') return notSet(context, 'guest_paused', pausedAdvice(context.server.id));
  if (isRunning(status)) return next('ask', { mayBeSet: true });
  if (status !== 'Stopped') return awaitStatus;
  return await onDisk(context, found, async () => {
    const reason = await copyHashes(context, name);
    return reason === undefined
      ? next('write', { mayBeWritten: true })
      : notSet(context, 'password_not_set', `${reason} ${startFirst}`);
  });
}

/** Sets it in a running guest. */
async function ask(context: Context): Result {
  const { attempts, state } = context.operation;
  const found = await find(context);
  if (!found || !isRunning(found.status)) return next('set');
  const hash = hashOf(context);
  if (hash === undefined) return unreadable;
  const ended = await withDiskHeadroom(context, found, () => setInGuest(context, found.name, hash));
  if (ended === 0) return wasSet(context);
  const { tries = 0 } = state;
  const why = whyUnknown(ended);
  if (why === undefined) {
    const words = `${whyNot(ended)} ${stopFirst}`;
    const isFirst = tries + attempts === 0 && !state.mayBeWritten;
    return isFirst ? fail('password_not_set', words) : unconfirmed(words);
  }
  if (tries + 1 >= mostTries) {
    return unconfirmed(`It is unknown whether it was set: ${why}. ${stopFirst}`);
  }
  const again = { seconds: againSeconds, why: `trying again, because ${why}` };
  return { outcome: 'wait', ...again, patch: { tries: tries + 1 } };
}

/** Writes it to the disk of a stopped server. */
async function write(context: Context): Result {
  const found = await find(context);
  // Somebody has started it since.
  if (found?.status !== 'Stopped') return next('set', { mayBeSet: true });
  const hash = hashOf(context);
  if (hash === undefined) return unreadable;
  return await onDisk(context, found, async () =>
    (await writeHashes(context, found.name, hash))
      ? wasSet(context, ' It is valid from the next start.')
      : next('set', { mayBeSet: true }),
  );
}

/** After a failure: completes a file of which a part was written. A complete one stays as it is. */
async function restore(context: Context): Result {
  const { code, message } = context.operation.state.failure;
  const found = await find(context);
  // A guest that somebody has started changes the file itself.
  const isStarted = found && (isRunning(found.status) || found.status === 'Frozen');
  if (!found || isStarted) return fail(code, message);
  if (found.status !== 'Stopped') return awaitStatus;
  try {
    await withDiskHeadroom(context, found, () => restoreHashes(context, found.name));
    return fail(code, message);
  } catch (error) {
    if (!(error instanceof EngineError) || error.retryable) throw error;
    context.log.warn({ err: error }, 'The hashes on the disk of a server could not be restored.');
    return fail(code, `${message} ${incomplete}`);
  }
}

const find = ({ incus, server, signal }: Context) =>
  findInstance(incus, instanceName(server.uuid), { signal });

/** Runs a part of a step that writes to the disk of a stopped server, which may be full. */
async function onDisk(context: Context, found: Instance, part: () => Result): Result {
  try {
    return await withDiskHeadroom(context, found, part);
  } catch (error) {
    if (!isEngineError(error, 'no_space')) throw error;
    context.log.warn({ err: error }, 'There is no space for the password of root.');
    return notSet(context, 'password_not_set', noSpace);
  }
}

/** Undefined if it can't be decrypted. */
function hashOf({ operation, server, settings }: Context): string | undefined {
  const { id, secrets } = operation;
  const place = operationSecrets(server.id, id);
  return secrets
    ? settings.secretKey.open<PasswordSecrets>(place, secrets)?.passwordHash
    : undefined;
}

function wasSet({ operation, server }: Context, when = '') {
  const remark = server.passwordLogin
    ? ''
    : ' The server was created to refuse passwords over SSH, so it is for other logins, such as at the console.';
  return done(`The password of root was set.${when}${remark}`, (trx) =>
    showEngineStatus(trx, operation),
  );
}

/** It failed with one of the codes after which nothing was set, unless an earlier step may have set it. */
function notSet({ operation }: Context, code: FailureCode, message: string): StepResult<never> {
  return operation.state.mayBeSet ? unconfirmed(message) : fail(code, message);
}

const unconfirmed = (message: string) =>
  fail('password_unconfirmed', `${message} The new password may be in force.`);

/** Why the end of chpasswd says nothing; undefined if it says that nothing was set. */
function whyUnknown(ended: number | 'hangs' | 'refused'): string | undefined {
  if (ended === 'hangs') return 'chpasswd did not end in its guest';
  if (ended === 'refused') return 'the engine did not run chpasswd in its guest';
  // By a signal, such as while the guest shuts down.
  return ended > 128 ? 'chpasswd was killed in its guest' : undefined;
}

function whyNot(ended: number | string): string {
  // It does not exist, or can't be executed.
  if (ended === 127 || ended === 126) return 'Its guest has no chpasswd, which sets passwords.';
  return `Its guest could not set it: chpasswd ended with ${ended}.`;
}

const stopFirst = 'Stop the server and set the password then: it is written to its disk.';
const startFirst = 'Start the server and set the password then: the guest sets it itself.';
const noSpace =
  'There is no space left for it. Start the server and free some space on its disk, or give it a larger disk.';
const incomplete = `Its ${shadowPath} may be incomplete: the previous content is in ${shadowBackupPath}.`;

const unreadable = fail(
  'secrets_unreadable',
  'It can no longer be read: the file secret-key is not the one it was kept with. Set the password again.',
);
