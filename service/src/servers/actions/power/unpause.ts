import { Problem } from '../../../problems/problem.ts';
import { unpauseOperation } from '../../operations/power/unpause.ts';
import type { ServerRow } from '../../queries.ts';
import { defineServerAction } from '../rules/define.ts';
import { currentStateHint, startHint } from '../rules/not-in-state.ts';

export const unpauseAction = defineServerAction({
  name: 'unpause',
  operation: unpauseOperation,
  summary: 'Unpause a server',
  description:
    'Lets a paused server continue where it was. If the server is not paused, the request is refused with ' +
    '`server_not_paused`.',
  accepted: 'The server is being unpaused.',
  problems: ['server_not_paused'],
  from: ['paused'],
  to: 'started',
  refuse: (server) => new Problem('server_not_paused', whyNotUnpaused(server)),
});

function whyNotUnpaused(server: ServerRow): string {
  if (server.status === 'started') return 'The server is running already.';
  if (server.status === 'stopped') return startHint(server.id);
  return `Only a paused server can be unpaused; ${currentStateHint(server)}`;
}
