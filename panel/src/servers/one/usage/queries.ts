import { queryOptions } from '@tanstack/react-query';
import { berth } from '../../../api/berth.ts';
import { periodOf, type Span } from './span.ts';

/** Usage is read every 15 seconds, which is a step of the shortest span. */
const everyMs: Record<Span, number> = { '1h': 15_000, '24h': 60_000, '7d': 60_000, '30d': 60_000 };

/** What a server has used, until now. */
export const usageQuery = (id: number, span: Span) =>
  queryOptions({
    queryKey: ['usage', id, span],
    refetchInterval: everyMs[span],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: periodOf(span, Date.now()) };
      const { data } = await berth.GET('/v1/servers/{id}/usage', { params, signal });
      return data;
    },
  });

/** The traffic of the month, and the allowance. */
export const trafficQuery = (id: number) =>
  queryOptions({
    // Read again together with the server.
    queryKey: ['server', id, 'traffic'],
    refetchInterval: 60_000,
    queryFn: async ({ signal }) => {
      const params = { path: { id } };
      const { data } = await berth.GET('/v1/servers/{id}/traffic', { params, signal });
      return data;
    },
  });
