import { items } from '@berth/client';
import { listVerb } from '../verbs/list.ts';
import { noun } from '../verbs/noun.ts';
import { eventColumns } from './columns.ts';
import { type Filters, filters, queryOf } from './filters.ts';
import { latestEvents } from './latest.ts';
import { watch } from './watch.ts';

const list = listVerb({
  summary: 'List events, the oldest first',
  columns: eventColumns,
  options: filters,
  about: 'With --limit alone, these are the last ones, and with --after, the first ones after it.',
  async *rows(berth, { pageSize, most, ...given }) {
    const { after } = given as Filters;
    const filters = queryOf(given as Filters);
    if (after === undefined && Number.isFinite(most)) {
      yield* await latestEvents(berth, filters, most);
      return;
    }
    const query = { ...filters, limit: pageSize, after: after ?? 0 };
    yield* items(berth, '/v1/events', { params: { query } });
  },
});

export const event = noun('event', 'Follow what happens to servers, operations and nodes.', [
  list,
  watch,
]);
