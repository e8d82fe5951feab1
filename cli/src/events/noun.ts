import { items } from '@berth/client';
import { listVerb } from '../verbs/list.ts';
import { noun } from '../verbs/noun.ts';
import { eventColumns } from './columns.ts';
import { type Filters, filters, queryOf } from './filters.ts';
import { watch } from './watch.ts';

const list = listVerb({
  summary: 'List events, the oldest first',
  columns: eventColumns,
  options: filters,
  rows: (berth, { pageSize, ...given }) => {
    const { after = 0 } = given as Filters;
    const query = { ...queryOf(given as Filters), limit: pageSize, after };
    return items(berth, '/v1/events', { params: { query } });
  },
});

export const event = noun('event', 'Follow what happens to servers, operations and nodes.', [
  list,
  watch,
]);
