import { serverAction } from './action.ts';

export const remove = serverAction({
  name: 'delete',
  bulk: 'delete',
  summary: 'Delete servers and all their data',
  done: 'is deleted',
  warning: (names) => `${names} will be deleted with all data, and this cannot be undone.`,
  request: (berth, params) => berth.DELETE('/v1/servers/{id}', { params }),
});
