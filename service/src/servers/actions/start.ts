import { Problem } from '../../problems/problem.ts';
import { startOperation } from '../operations/start.ts';
import { defineServerAction } from './define.ts';
import { refusedForTraffic, requireTraffic } from './traffic.ts';

export const startAction = defineServerAction({
  name: 'start',
  operation: startOperation,
  summary: 'Start a server',
  description: `Starts a stopped server. ${refusedForTraffic}`,
  accepted: 'The server is being started.',
  problems: ['server_not_stopped', 'traffic_exceeded'],
  from: ['stopped'],
  to: 'started',
  isPossible: ({ run }) => run,
  refuse: ({ status }) =>
    new Problem(
      'server_not_stopped',
      `Only a stopped server can be started; this server is in the ${status} state.`,
    ),
  check: ({ project }, { id }) => requireTraffic(project, id),
});
