import { type components, items } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { all } from '../../api/queries.ts';

export type OperatingSystem = components['schemas']['OperatingSystem'];
export type Image = components['schemas']['Image'];

const progressMs = 2000;

/** Also those that are disabled. */
export const allSystemsQuery = queryOptions({
  queryKey: ['operating-systems', 'all'],
  staleTime: 0,
  queryFn: ({ signal }) => all(items(berth, '/v1/operating-systems', { signal })),
});

export const isComing = ({ status }: Image): boolean =>
  status === 'wanted' || status === 'importing';

/** The images of an operating system, read until none is on its way. */
export const imagesQuery = (id: number) =>
  queryOptions({
    queryKey: ['images', id],
    staleTime: 0,
    queryFn: ({ signal }): Promise<Image[]> => {
      const params = { path: { id } };
      return all(items(berth, '/v1/operating-systems/{id}/images', { params, signal }));
    },
    refetchInterval: ({ state: { data } }) => (data?.some(isComing) ? progressMs : false),
  });
