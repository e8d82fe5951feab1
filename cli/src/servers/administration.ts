import { serverAction } from './action.ts';

// Only administrators may do these.

export const suspend = serverAction({
  name: 'suspend',
  summary: 'Stop servers, and refuse to start them',
  about: 'Everybody in the project can read the reason. Only administrators can suspend servers.',
  done: 'is suspended',
  options: (command) =>
    command.requiredOption('--reason <sentence>', 'why, in a sentence for their owner'),
  request: (berth, params, { reason }) =>
    berth.POST('/v1/servers/{id}/suspend', { params, body: { reason } }),
});

export const unsuspend = serverAction({
  name: 'unsuspend',
  summary: 'End the suspension of servers',
  about: 'Those that were running when they were suspended are started again.',
  done: 'is not suspended any more',
  request: (berth, params) => berth.POST('/v1/servers/{id}/unsuspend', { params, body: {} }),
});

export const move = serverAction({
  name: 'move',
  summary: 'Move servers to another node of their location',
  about: 'A running server is shut down for it. Only administrators can move servers.',
  done: 'is on another node',
  options: (command) =>
    command.option('--node <node>', 'the other node; by default Berth chooses one'),
  request: (berth, params, { node }) =>
    berth.POST('/v1/servers/{id}/move', { params, body: node === undefined ? {} : { node } }),
});

export const retry = serverAction({
  name: 'retry',
  bulk: 'retry',
  summary: 'Try failed creations again',
  about: 'This is possible for 24 hours.',
  done: 'is created',
  request: (berth, params) => berth.POST('/v1/servers/{id}/retry', { params, body: {} }),
});
