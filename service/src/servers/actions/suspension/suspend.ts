import { ServerSuspend } from '@berth/contract/servers';
import type { OperationRow } from '../../../operations/queries.ts';
import { mayBeMoving } from '../../operations/resize.ts';
import { isWritingPassword } from '../../operations/set-password.ts';
import { suspendOperation } from '../../operations/suspension/suspend.ts';
import { type ServerRow, setSuspension } from '../../queries.ts';
import { defineServerAction } from '../rules/define.ts';
import { notSuspended } from './unsuspend.ts';

interface WantedSuspension {
  /** Undefined to stop a suspended server again that somebody has started in Incus. */
  reason?: string;
}

export const suspendAction = defineServerAction({
  name: 'suspend',
  operation: suspendOperation,
  summary: 'Suspend a server',
  description:
    'Stops a server, and refuses to start it until it is unsuspended, such as while an invoice is overdue. Its guest is ' +
    'asked to shut down, and its power is cut if it does not shut down in time, or if it is paused. The members of its ' +
    'project can read the reason, and can still delete the server. Its disk, IP addresses and share of the quota are ' +
    'kept. If somebody starts its instance in Incus, it is stopped again. An operation in progress is superseded, except ' +
    'a create, a rebuild, an adoption, a delete, a move, a resize that moves the server, and a password that is being ' +
    'written to the disk of a stopped server. If the server is suspended already, the reason is replaced.',
  accepted: 'The server is being suspended.',
  scope: 'admin',
  body: ServerSuspend,
  problems: [],
  read: ({ body }): WantedSuspension => ({ reason: body.reason }),
  details: ({ reason }) => ({ reason }),
  whileSuspended: true,
  from: ['creating', 'started', 'stopped', 'paused', 'deleting', 'error'],
  to: 'stopped',
  supersedes: {
    suspend: [
      'start',
      'stop',
      'restart',
      'pause',
      'unpause',
      'rename',
      'repair',
      'resize',
      'set_password',
      'suspend',
      'unsuspend',
    ],
  },
  spares: (operation) => mayBeMoving(operation) || isWritingPassword(operation),
  async check(_change, { suspended_at }, { reason }) {
    if (reason === undefined && suspended_at === null) throw notSuspended;
  },
  async begin({ project }, server, { reason }, superseded) {
    if (reason !== undefined) {
      await setSuspension(project, server.id, { reason, ran: ranBefore(server, superseded) });
    }
    return {};
  },
});

/** Whether it ran, or would run now without the suspension. */
function ranBefore(server: ServerRow, superseded: OperationRow | undefined): boolean {
  const { status, suspended_at, ran_before_suspension: ran } = server;
  if (suspended_at !== null) return ran;
  if (superseded?.kind === 'unsuspend') return superseded.state.starts === true;
  if (superseded?.kind === 'start') return true;
  return superseded?.kind !== 'stop' && (status === 'started' || status === 'paused');
}
