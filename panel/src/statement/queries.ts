import { queryOptions } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';

/** What the servers of a project used in a month. It grows while the month lasts. */
export const statementQuery = (projectId: number, month: string) =>
  queryOptions({
    queryKey: ['statement', projectId, month],
    queryFn: async ({ signal }) => {
      const params = { path: { id: projectId }, query: { month } };
      return (await berth.GET('/v1/projects/{id}/statement', { params, signal })).data;
    },
  });

/** The same as a file. It is not read by scripts, and the cookie of the session comes with it. */
export const csvUrl = (projectId: number, month: string): string =>
  `/v1/projects/${projectId}/statement.csv?month=${month}`;
