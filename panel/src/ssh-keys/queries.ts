import { items } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';
import { all } from '../api/queries.ts';

/** Somebody may just have added one elsewhere. */
export const keysQuery = queryOptions({
  queryKey: ['ssh-keys'],
  staleTime: 0,
  queryFn: () => all(items(berth, '/v1/ssh-keys')),
});
