import { items } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';
import { all } from '../api/queries.ts';
import { type Delivery, type DeliverySearch, readAgainMs } from './deliveries.ts';

/** The webhooks of the project. Events, and what people do here, have them read again. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  staleTime: 0,
  queryFn: () => all(items(berth, '/v1/webhooks')),
});

export const webhookQuery = (id: number) =>
  queryOptions({
    queryKey: ['webhooks', id],
    queryFn: async ({ signal }) => {
      const { data } = await berth.GET('/v1/webhooks/{id}', { params: { path: { id } }, signal });
      return data;
    },
  });

/** How many deliveries are shown at first, and how many more each time. */
export const pageSize = 20;
const mostAtOnce = 1000;

/** The latest deliveries of a webhook, and one more if there are more of them. No event tells how they end. */
export const deliveriesQuery = (id: number, { status }: DeliverySearch, shown: number) =>
  queryOptions({
    queryKey: ['webhooks', id, 'deliveries', status ?? 'any', shown],
    staleTime: 0,
    queryFn: async ({ signal, client }): Promise<readonly Delivery[]> => {
      const limit = Math.min(shown + 1, mostAtOnce);
      const query = { ...(status && { status: [status] }), sort: '-id' as const, limit };
      const params = { path: { id }, query };
      const deliveries: Delivery[] = [];
      const found = items(berth, '/v1/webhooks/{id}/deliveries', { params, signal });
      for await (const one of found) {
        if (deliveries.push(one) > shown) break;
      }
      // An attempt also changes the state of the webhook.
      await client.invalidateQueries({ ...webhookQuery(id), exact: true });
      return deliveries;
    },
    refetchInterval: ({ state: { data } }) => readAgainMs(data ?? [], Date.now()),
  });
