import { restartOperation } from '../../operations/power/restart.ts';
import { defineServerAction } from '../rules/define.ts';
import { refusedForTraffic, requireTraffic } from '../rules/traffic.ts';

export const restartAction = defineServerAction({
  name: 'restart',
  operation: restartOperation,
  summary: 'Restart a server',
  description: `Shuts down the guest of a running server, and starts the server again. ${refusedForTraffic}`,
  accepted: 'The server is being restarted.',
  problems: ['server_not_running', 'traffic_exceeded'],
  from: ['started'],
  to: 'started',
  isPossible: ({ run }) => run,
  // Otherwise the error for a stopped server would advise a start, which the same rule forbids.
  checkInAnyStatus: ({ project }, server) => requireTraffic(project, server),
});
