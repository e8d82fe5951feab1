import { Problem } from '../../../problems/problem.ts';
import { isStoppedForTraffic } from '../../../traffic/allowance.ts';
import { findTraffic } from '../../../usage/queries.ts';
import { unsuspendOperation } from '../../operations/suspension/unsuspend.ts';
import { endSuspension } from '../../queries.ts';
import { defineServerAction } from '../rules/define.ts';

export const unsuspendAction = defineServerAction({
  name: 'unsuspend',
  operation: unsuspendOperation,
  summary: 'Unsuspend a server',
  description:
    'Ends the suspension of a server. It is started if it was running or paused when it was suspended, unless its traffic ' +
    'allowance is used up and the `traffic_policy` of its location is `stop`. If the server is still being suspended, ' +
    'that operation is superseded. If it is not suspended, the request is refused with `server_not_suspended`.',
  accepted: 'The server is being unsuspended.',
  scope: 'admin',
  problems: ['server_not_suspended'],
  whileSuspended: true,
  from: ['creating', 'started', 'stopped', 'paused', 'deleting', 'error'],
  to: 'started',
  supersedes: { unsuspend: ['suspend'] },
  async check(_change, { suspended_at }) {
    if (suspended_at === null) throw notSuspended;
  },
  async begin({ project }, { id, ran_before_suspension: ran }) {
    await endSuspension(project, id);
    const traffic = ran ? await findTraffic(project, id) : undefined;
    const isHeld = traffic !== undefined && isStoppedForTraffic(traffic);
    return { state: { starts: ran && !isHeld, ...(isHeld && { isHeld }) } };
  },
});

export const notSuspended = new Problem('server_not_suspended', 'The server is not suspended.');
