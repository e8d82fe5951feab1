import type { Project } from '../../db/project.ts';
import type { Keyring } from '../../keys/keyring.ts';
import { operationSecrets } from '../../keys/places.ts';
import { firstStep } from '../../operations/define.ts';
import {
  failedCreate,
  insertOperation,
  type OperationRow,
  unfinishedOperation,
  wipeSecrets,
} from '../../operations/queries.ts';
import { Problem } from '../../problems/problem.ts';
import { serverNotFound } from '../not-found.ts';
import { createOperation } from '../operations/create.ts';
import { lockServer, type ServerRow, setServerStatus } from '../queries.ts';
import { makeWay, notFailed, requireStatus } from './actions.ts';

/** Enters a new create in the place of one that failed, with its secrets, or refuses it. */
export async function requestRetry(
  project: Project,
  serverId: number,
  secretKey: Keyring,
): Promise<OperationRow> {
  const server = await lockServer(project, serverId);
  if (!server) throw serverNotFound(serverId);
  const current = await unfinishedOperation(project, serverId);
  if (current) await makeWay(project, current, 'retry');
  requireStatus(server, 'retry');
  const failed = await failedCreate(project, serverId);
  if (!failed?.secrets) throw notRetryable(server);
  await wipeSecrets(project, serverId);
  await setServerStatus(project, serverId, 'creating', null);
  return await insertOperation(project, {
    ...firstStep(createOperation),
    serverId,
    state: { commands: failed.state.commands },
    secrets: passedOn(secretKey, serverId, { from: failed.id, sealed: failed.secrets }),
  });
}

/** Sealed anew, for another operation. What can't be opened stays so: that one ends with `secrets_unreadable`. */
function passedOn(
  secretKey: Keyring,
  serverId: number,
  { from, sealed }: { from: number; sealed: Buffer },
): (id: number) => Buffer {
  const secrets = secretKey.open(operationSecrets(serverId, from), sealed);
  if (secrets === undefined) return () => sealed;
  return (id) => secretKey.seal(operationSecrets(serverId, id), secrets);
}

function notRetryable({ installed_at }: ServerRow): Problem {
  if (installed_at !== null) return notFailed('this one was created, and is in error since.');
  return new Problem(
    'retry_expired',
    'The password and the initial commands of the server are no longer kept. Delete the server and create it again.',
  );
}
