import { forgetSecrets } from '../../changes/idempotency.ts';
import { wipeSecrets } from '../../operations/queries.ts';
import { deleteOperation } from '../operations/delete.ts';
import { setServerStatus } from '../queries.ts';
import { defineServerAction } from './rules/define.ts';
import { requireUnprotected } from './rules/protection.ts';

export const deleteAction = defineServerAction({
  name: 'delete',
  operation: deleteOperation,
  summary: 'Delete a server',
  description:
    'Deletes a server with its disk, and releases its IP addresses. An operation in progress is superseded. This cannot be ' +
    'undone. It is refused with `protected` if `protection.delete` of the server is `true`.',
  accepted: 'The server is being deleted.',
  route: { method: 'DELETE', url: '/servers/:id' },
  problems: ['protected'],
  whileSuspended: true,
  from: ['creating', 'started', 'stopped', 'paused', 'deleting', 'error'],
  to: 'deleted',
  supersedes: {
    delete: [
      'create',
      'start',
      'stop',
      'restart',
      'pause',
      'unpause',
      'set_password',
      'suspend',
      'unsuspend',
      'move',
      'resize',
      'rename',
      'repair',
      'adopt',
    ],
  },
  joins: true,
  isPossible: ({ isProtected }) => !isProtected.delete,
  check: async (_, server) => requireUnprotected(server, 'delete'),
  async begin({ trx, project }, server) {
    await setServerStatus(project, server.id, 'deleting', server.error);
    await wipeSecrets(project, server.id);
    await forgetSecrets(trx, server.id);
    return {};
  },
});
