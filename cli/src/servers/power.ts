import { serverAction } from './action.ts';

export const start = serverAction({
  name: 'start',
  bulk: 'start',
  summary: 'Start servers',
  done: 'is started',
  request: (berth, params) => berth.POST('/v1/servers/{id}/start', { params, body: {} }),
});

export const stop = serverAction({
  name: 'stop',
  bulk: 'stop',
  summary: 'Shut servers down',
  done: 'is stopped',
  options: (command) => command.option('-f, --force', 'cut their power instead'),
  request: (berth, params, { force = false }) =>
    berth.POST('/v1/servers/{id}/stop', { params, body: { force } }),
});

export const restart = serverAction({
  name: 'restart',
  bulk: 'restart',
  summary: 'Restart servers',
  done: 'is restarted',
  request: (berth, params) => berth.POST('/v1/servers/{id}/restart', { params, body: {} }),
});

export const pause = serverAction({
  name: 'pause',
  bulk: 'pause',
  summary: 'Freeze servers',
  about: 'Their memory is kept, and "unpause" lets them continue where they were.',
  done: 'is paused',
  request: (berth, params) => berth.POST('/v1/servers/{id}/pause', { params, body: {} }),
});

export const unpause = serverAction({
  name: 'unpause',
  bulk: 'unpause',
  summary: 'Let frozen servers continue',
  done: 'continues',
  request: (berth, params) => berth.POST('/v1/servers/{id}/unpause', { params, body: {} }),
});
