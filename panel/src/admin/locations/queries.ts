import { type components, items } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { all } from '../../api/queries.ts';

export type Location = components['schemas']['Location'];

const againMs = 15_000;

/** Locations with what only administrators are told, and whether they can be reached now. */
export const placesQuery = queryOptions({
  queryKey: ['locations', 'places'],
  staleTime: 0,
  refetchInterval: againMs,
  queryFn: ({ signal }) => all(items(berth, '/v1/locations', { signal })),
});

export const placeQuery = (id: number) =>
  queryOptions({
    queryKey: ['locations', id],
    staleTime: 0,
    queryFn: async ({ signal }) =>
      (await berth.GET('/v1/locations/{id}', { params: { path: { id } }, signal })).data,
  });
