import { Problem } from '../../../problems/problem.ts';
import { pauseOperation } from '../../operations/power/pause.ts';
import { defineServerAction } from '../rules/define.ts';

export const pauseAction = defineServerAction({
  name: 'pause',
  operation: pauseOperation,
  summary: 'Pause a server',
  description:
    'Freezes a running server: its processes stop where they are, and continue with `unpause`. Its memory is kept, and so ' +
    'it counts as running. A paused server can be unpaused, stopped with `force`, or deleted. A restart of its node ends ' +
    'the pause: the server is then started anew. If the server is not running, the request is refused with ' +
    '`server_not_running`.',
  accepted: 'The server is being paused.',
  problems: ['server_not_running'],
  from: ['started'],
  to: 'paused',
  refuse: ({ status }) =>
    status === 'paused'
      ? new Problem('server_not_running', 'The server is paused already.')
      : undefined,
});
