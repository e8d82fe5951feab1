import { items } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';
import { all } from '../api/queries.ts';
import { grantable } from './scopes.ts';

/** Programs and other people create and use them. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  staleTime: 0,
  queryFn: () => all(items(berth, '/v1/tokens')),
});

/** The scopes that this person may give in the project. */
export const scopesQuery = queryOptions({
  queryKey: ['scopes'],
  queryFn: async ({ signal }) => {
    const { data } = await berth.GET('/v1/whoami', { signal });
    return grantable(data.scopes);
  },
});
