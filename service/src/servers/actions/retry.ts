import type { Keyring } from '../../keys/keyring.ts';
import { operationSecrets } from '../../keys/places.ts';
import { failedCreate, wipeSecrets } from '../../operations/queries.ts';
import { Problem } from '../../problems/problem.ts';
import { createOperation } from '../operations/create.ts';
import { type ServerRow, setServerStatus } from '../queries.ts';
import { defineServerAction } from './rules/define.ts';

/** Enters a new create with the secrets of the failed one. */
export const retryAction = defineServerAction({
  name: 'retry',
  operation: createOperation,
  summary: 'Retry a failed creation',
  description:
    'Retries a failed creation, with the same IP addresses, password, SSH keys, user data and initial commands. The latter ' +
    'four are kept for 24 hours after the failure. What the failed attempt left behind is removed first. If a rebuild of the ' +
    'server has failed or was cancelled since, its request is carried out.',
  accepted: 'The server is being created again.',
  problems: ['retry_expired', 'server_not_failed'],
  read: (_asked, { secretKey }) => secretKey,
  from: ['error'],
  to: 'started',
  isPossible: ({ retry }) => retry,
  refuse: ({ status }) => notFailed(`this server is in the ${status} state.`),
  async begin({ project }, server, secretKey) {
    const failed = await failedCreate(project, server.id);
    if (!failed?.secrets) throw notRetryable(server);
    await wipeSecrets(project, server.id);
    await setServerStatus(project, server.id, 'creating', null);
    const { commands, rebuilds } = failed.state;
    return {
      state: { commands, ...(rebuilds === true && { rebuilds }) },
      secrets: resealed(secretKey, server.id, { from: failed.id, sealed: failed.secrets }),
    };
  },
});

/**
 * Seals the secrets again, for another operation. If they can't be opened they stay as they are,
 * and that operation fails with `secrets_unreadable`.
 */
function resealed(
  secretKey: Keyring,
  serverId: number,
  { from, sealed }: { from: number; sealed: Buffer },
): (id: number) => Buffer {
  const secrets = secretKey.open(operationSecrets(serverId, from), sealed);
  if (secrets === undefined) return () => sealed;
  return (id) => secretKey.seal(operationSecrets(serverId, id), secrets);
}

function notRetryable({ installed_at }: ServerRow): Problem {
  if (installed_at !== null)
    return notFailed('this server was created, and entered the error state later.');
  return new Problem(
    'retry_expired',
    'The password, the SSH keys, the user data and the initial commands of the server are no longer kept. Rebuild the server, or delete it.',
  );
}

function notFailed(why: string): Problem {
  const detail = `Only a server whose creation failed can be retried; ${why}`;
  return new Problem('server_not_failed', detail);
}
