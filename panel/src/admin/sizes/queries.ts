import { type components, items } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { all } from '../../api/queries.ts';

export type Size = components['schemas']['Size'];

/** Also those that are out of use. The list of the forms for servers is below the same key. */
export const allSizesQuery = queryOptions({
  queryKey: ['sizes', 'all'],
  staleTime: 0,
  queryFn: ({ signal }) => all(items(berth, '/v1/sizes', { signal })),
});
