import { instanceName } from '../../instances/labels.ts';
import { operationSecrets } from '../../keys/places.ts';
import { done, fail, next, type StepResult, wait } from '../../operations/define.ts';
import { operationTitles } from '../../operations/titles.ts';
import { defineServerOperation, type ServerStepContext } from '../define-operation.ts';
import { findInstance, isRunning, withDiskHeadroom } from '../engine/engine.ts';
import { copyHashes, setInGuest, writeHashes } from '../engine/root-password.ts';
import { showEngineStatus } from '../truth.ts';
import { pausedAdvice } from './power/force-advice.ts';

/** The secrets of the operation, which are stored encrypted until it ends. */
export interface PasswordSecrets {
  passwordHash: string;
}

type State = Record<string, never>;
type Context = ServerStepContext<State>;
type Result = Promise<StepResult<State>>;

/** Sets the password of root: at once in a running guest, for its next start on the disk of a stopped one. */
export const setPasswordOperation = defineServerOperation<State>({
  kind: 'set_password',
  title: operationTitles.set_password,
  deadlineSeconds: 2 * 60,
  first: 'set',
  failures: ['guest_paused', 'instance_missing', 'password_not_set', 'secrets_unreadable'],
  steps: {
    set: { weight: 1, doing: 'handing it over to the guest', run: set },
    write: { weight: 1, doing: 'writing it to its disk', run: write },
  },
  failed: showEngineStatus,
});

/** Sets it in a running guest, or prepares the disk of a stopped one. */
async function set(context: Context): Result {
  const { incus, server, signal } = context;
  const found = await findInstance(incus, instanceName(server.uuid), { signal });
  if (!found) return fail('instance_missing', 'Its instance no longer exists in the engine.');
  const { name, status } = found;
  if (status === 'Frozen') return fail('guest_paused', pausedAdvice(server.id));
  if (isRunning(status)) return await setIn(context, name);
  if (status !== 'Stopped') return wait(1, 'waiting for the engine to say how it is');
  const reason = await withDiskHeadroom(context, found, () => copyHashes(context, name));
  return reason === undefined ? next('write') : fail('password_not_set', `${reason} ${startFirst}`);
}

async function setIn(context: Context, name: string): Result {
  const hash = hashOf(context);
  if (hash === undefined) return unreadable;
  const ended = await setInGuest(context, name, hash);
  if (ended === 0) return wasSet(context);
  // A signal has ended it, such as while the guest shuts down.
  if (ended !== 'hangs' && ended > 128) {
    return wait(1, 'trying again, because chpasswd was killed in its guest');
  }
  return fail('password_not_set', `${whyNot(ended)} ${stopFirst}`);
}

async function write(context: Context): Result {
  const { incus, server, signal } = context;
  const found = await incus.instances.get(instanceName(server.uuid), { signal });
  // Somebody has started it since.
  if (found?.status !== 'Stopped') return next('set');
  const hash = hashOf(context);
  if (hash === undefined) return unreadable;
  const { name } = found;
  const isWritten = await withDiskHeadroom(context, found, () => writeHashes(context, name, hash));
  return isWritten ? wasSet(context, ' It is valid from the next start.') : next('set');
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

function whyNot(ended: number | 'hangs'): string {
  if (ended === 'hangs') return 'Its guest could not set it: chpasswd did not end.';
  if (ended === 127) return 'Its guest has no chpasswd, which sets passwords.';
  return `Its guest could not set it: chpasswd ended with ${ended}, such as because its disk is full.`;
}

const stopFirst = 'Stop the server and set the password then: it is written to its disk.';
const startFirst = 'Start the server and set the password then: the guest sets it itself.';

const unreadable = fail(
  'secrets_unreadable',
  'It can no longer be read: the file secret-key is not the one it was kept with. Set the password again.',
);
