import { showVerb } from '../verbs/show.ts';
import { serverColumns } from './columns.ts';

export const show = showVerb({
  summary: 'Show a server',
  argument: '<server>',
  columns: serverColumns,
  get: (berth, id) => berth.GET('/v1/servers/{id}', { params: { path: { id } } }),
});
