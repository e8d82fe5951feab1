import { ServerStop, ServerStopQuery } from '@berth/contract/servers';
import { invalidFields, Problem } from '../../../problems/problem.ts';
import { stopOperation } from '../../operations/power/stop.ts';
import { isWritingPassword } from '../../operations/set-password.ts';
import { defineServerAction } from '../rules/define.ts';

interface WantedStop {
  /** Whether to cut the power, without asking the guest. */
  force: boolean;
  /** Whether Berth stops it because its traffic allowance is used up. */
  forTraffic?: boolean;
}

export const stopAction = defineServerAction({
  name: 'stop',
  operation: stopOperation,
  summary: 'Stop a server',
  description:
    'Shuts down the guest of a running server. With `force`, in the query or in the body, the power is cut instead, and a ' +
    'start, stop, restart, pause, unpause or unsuspend in progress is superseded, and so is a password that is being set in ' +
    'a running guest. If the server is already stopped, the request is refused with `server_not_running`. A paused server ' +
    'can be stopped only with `force`.',
  accepted: 'The server is being stopped.',
  body: ServerStop,
  querystring: ServerStopQuery,
  problems: ['server_not_running'],
  read: ({ body, query }): WantedStop => ({ force: readForce(query, body) ?? false }),
  whileSuspended: true,
  from: ['started', 'paused'],
  to: 'stopped',
  excludes: ({ status }, { force }) => status === 'paused' && !force,
  refuse: ({ status }) =>
    status === 'stopped'
      ? new Problem('server_not_running', 'The server is stopped already.')
      : undefined,
  supersedes: {
    'forced stop': ['start', 'stop', 'restart', 'pause', 'unpause', 'set_password', 'unsuspend'],
    // This also applies while the guest has time to shut down: otherwise a client could avoid the stop by requesting
    // restarts, or other names or passwords.
    'stop for its traffic': ['start', 'restart', 'rename', 'set_password'],
  },
  spares: isWritingPassword,
  as({ force, forTraffic }) {
    if (force) return 'forced stop';
    return forTraffic ? 'stop for its traffic' : 'stop';
  },
  begin: async (_change, _server, { force, forTraffic }, superseded) => ({
    state: { force, ...(forTraffic && { forTraffic }), ...(superseded && { supersedes: true }) },
  }),
});

/** Throws `validation_failed` (422) if the query and the body contradict each other. */
function readForce({ force: inQuery }: ServerStop, { force: inBody = inQuery }: ServerStop = {}) {
  if (inQuery === undefined || inQuery === inBody) return inBody;
  const detail = 'Contradicts `force` in the body. Send `force` once.';
  throw invalidFields([{ parameter: 'force', detail }]);
}
