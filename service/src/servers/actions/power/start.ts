import { Problem } from '../../../problems/problem.ts';
import { unpauseAdvice } from '../../operations/power/force-advice.ts';
import { startOperation } from '../../operations/power/start.ts';
import type { ServerRow } from '../../queries.ts';
import { defineServerAction } from '../rules/define.ts';
import { currentStateHint } from '../rules/not-in-state.ts';
import { refusedForTraffic, requireTraffic } from '../rules/traffic.ts';

export const startAction = defineServerAction({
  name: 'start',
  operation: startOperation,
  summary: 'Start a server',
  description:
    'Starts a stopped server. If the server is already running, the request is refused with `server_not_stopped`. ' +
    refusedForTraffic,
  accepted: 'The server is being started.',
  problems: ['server_not_stopped', 'traffic_exceeded'],
  from: ['stopped'],
  to: 'started',
  isPossible: ({ run }) => run,
  refuse: (server) => new Problem('server_not_stopped', whyNotStarted(server)),
  check: ({ project }, server) => requireTraffic(project, server),
});

function whyNotStarted(server: ServerRow): string {
  if (server.status === 'started') return 'The server is running already.';
  if (server.status === 'paused') {
    return `The server is paused. ${unpauseAdvice(server.id)}`;
  }
  return `Only a stopped server can be started; ${currentStateHint(server)}`;
}
