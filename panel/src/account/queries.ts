import { items } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';
import { all } from '../api/queries.ts';

/** The browsers in which this person is signed in. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  staleTime: 0,
  queryFn: () => all(items(berth, '/v1/sessions')),
});

/** The passkeys of this person. */
export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  staleTime: 0,
  queryFn: () => all(items(berth, '/v1/passkeys')),
});
