import { items } from '@berth/client';
import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { isSignedOut } from './words.ts';

/** Everything that was read. `onSignedOut` is called when a request finds that the session has ended. */
export function createQueries(onSignedOut: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (isSignedOut(error)) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    // The client sends requests again where that helps.
    defaultOptions: { queries: { retry: false, staleTime: 30_000 } },
  });
}

/** For what administrators change now and then. */
export const rarelyChanged = { staleTime: 5 * 60_000 };

export const locationsQuery = queryOptions({
  ...rarelyChanged,
  queryKey: ['locations'],
  queryFn: () => all(items(berth, '/v1/locations')),
});

export async function all<T>(found: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const one of found) list.push(one);
  return list;
}
