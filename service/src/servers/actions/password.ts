import { PasswordAccepted, ServerPassword } from '@berth/contract/servers';
import { forgetSecrets } from '../../changes/idempotency.ts';
import { generatePassword } from '../../guests/generated-password.ts';
import type { Keyring } from '../../keys/keyring.ts';
import { operationSecrets } from '../../keys/places.ts';
import { Problem } from '../../problems/problem.ts';
import { hashGuestPassword } from '../../threads/threads.ts';
import {
  nothingWasSet,
  type PasswordSecrets,
  setPasswordOperation,
} from '../operations/set-password.ts';
import { defineServerAction } from './rules/define.ts';
import { currentStateHint } from './rules/not-in-state.ts';

interface WantedPassword {
  /** The password if it was generated, to be shown once. */
  generated: string | undefined;
  /** Seals its hash for the operation with this id. */
  seal(serverId: number, operationId: number): Buffer;
}

export const passwordAction = defineServerAction({
  name: 'password',
  operation: setPasswordOperation,
  summary: 'Set the password of root',
  description:
    'Sets the password of `root`. On a running server it is valid at once, and its guest sets it with `chpasswd`. On a ' +
    'stopped server it is written to the disk, and is valid from the next start. Without `password`, one is generated, ' +
    'which only this response has. After a failure with `password_not_set`, `guest_paused` or `instance_missing`, and ' +
    'after `operation_cancelled`, the previous password is valid; after any other, the new one may have been set. If ' +
    '`password_login` of the server is `false`, SSH still refuses passwords, and the password is for other logins, such as ' +
    'at the console. In other states the request is refused with `password_not_settable`.',
  accepted: 'The password of root is being set.',
  body: ServerPassword,
  response: PasswordAccepted,
  // It gives access to the server that outlasts the session.
  needsConfirmation: true,
  problems: ['password_not_settable'],
  async read({ body, caller, refuseEarly }, { secretKey }): Promise<WantedPassword> {
    await refuseEarly?.();
    const generated = body?.password === undefined ? generatePassword() : undefined;
    const password = body?.password ?? generated ?? '';
    const seal = await sealPassword(password, secretKey, `project:${caller.project.id}`);
    return { generated, seal };
  },
  details: ({ generated }) => ({ generated: generated !== undefined }),
  shown: ({ generated }) => (generated === undefined ? undefined : { password: generated }),
  shownAfterFailure: {
    unless: [...nothingWasSet, 'operation_cancelled'],
    words: 'It may have been set, so this response has the password that was generated.',
  },
  from: ['started', 'stopped'],
  refuse: (server) =>
    new Problem(
      'password_not_settable',
      `The password can be set while the server is started or stopped; ${currentStateHint(server)}`,
    ),
  async begin({ trx }, { id: serverId }, { seal }) {
    // The new password replaces those that were generated before.
    await forgetSecrets(trx, serverId);
    return { secrets: (id) => seal(serverId, id) };
  },
});

/** Hashes a password, which takes milliseconds, so it is done before the transaction, which holds locks. */
export async function sealPassword(
  password: string,
  secretKey: Keyring,
  asker: string,
): Promise<WantedPassword['seal']> {
  const secrets: PasswordSecrets = { passwordHash: await hashGuestPassword(password, asker) };
  return (serverId, id) => secretKey.seal(operationSecrets(serverId, id), secrets);
}
