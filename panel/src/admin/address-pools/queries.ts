import { type components, items } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { all } from '../../api/queries.ts';

export type AddressPool = components['schemas']['AddressPool'];

export const addressPoolsQuery = queryOptions({
  queryKey: ['address-pools'],
  staleTime: 0,
  queryFn: ({ signal }) => all(items(berth, '/v1/address-pools', { signal })),
});
