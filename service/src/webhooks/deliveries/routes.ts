import { PathParams } from '@berth/contract/references';
import { DeliveryParams, DeliveryQuery, WebhookDelivery } from '@berth/contract/webhook-deliveries';
import { Type } from 'typebox';
import type { App, Deps } from '../../callers/app-types.ts';
import { change } from '../../changes/change.ts';
import { sendAnswer } from '../../changes/idempotency.ts';
import { apiPath } from '../../requests/api-path.ts';
import { readPage, sendList } from '../../requests/pagination.ts';
import { requireWebhook } from '../webhooks.ts';
import { redeliver, requireDelivery, testWebhook } from './deliveries.ts';
import { listDeliveries } from './queries.ts';
import { deliveryView } from './view.ts';

const params = PathParams({ id: 'webhook' });

const tags = ['Webhooks'];
const target = (id: number) => ({ kind: 'webhook', id }) as const;

export function deliveryRoutes(app: App, deps: Deps): void {
  readRoutes(app);
  changeRoutes(app, deps);
}

function readRoutes(app: App): void {
  // A URL may be a secret of its receiver, and a response may repeat what it was sent.
  const config = { scope: 'servers:write' } as const;

  app.get(
    '/webhooks/:id/deliveries',
    {
      config,
      schema: {
        operationId: 'webhook_delivery_list',
        summary: 'List the deliveries of a webhook',
        description:
          'Returns the deliveries of a webhook, each with its last attempt. They are kept for 30 days. `sort=-id` returns the ' +
          'newest first.',
        tags,
        params,
        querystring: DeliveryQuery,
        response: { 200: Type.Array(WebhookDelivery) },
      },
    },
    async (request, reply) => {
      const page = readPage(request);
      const { id } = request.params;
      const { project } = request.caller;
      await requireWebhook(project, id);
      const deliveries = listDeliveries(project, id, request.query, page.descending);
      return sendList(request, reply, page, deliveries, deliveryView);
    },
  );

  app.get(
    '/webhooks/:id/deliveries/:delivery_id',
    {
      config,
      schema: {
        operationId: 'webhook_delivery_view',
        summary: 'Get a delivery',
        description:
          'Returns a delivery of a webhook. What was sent is the event: `GET /v1/events` returns it with `after` as its ID ' +
          'minus 1 and `limit` as 1.',
        tags,
        params: DeliveryParams,
        response: { 200: WebhookDelivery },
      },
    },
    async (request) => {
      const { id, delivery_id } = request.params;
      return deliveryView(await requireDelivery(request.caller.project, id, delivery_id));
    },
  );
}

function changeRoutes(app: App, deps: Deps): void {
  const config = { scope: 'servers:write', needsConfirmation: false } as const;

  app.post(
    '/webhooks/:id/test',
    {
      config,
      schema: {
        operationId: 'webhook_test',
        summary: 'Send a test event',
        description:
          'Sends an event of the type `webhook.test` to the webhook, also to one that is disabled or paused. It is attempted ' +
          'once, and does not count as a failure of the webhook. Poll the delivery for its result until it is not `pending`.',
        tags,
        params,
        response: { 202: WebhookDelivery },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const answer = await change(request, deps, async ({ project }) => {
        const row = await testWebhook(project, id);
        const headers = { Location: apiPath(request, `/webhooks/${id}/deliveries/${row.id}`) };
        return { status: 202, headers, body: deliveryView(row), target: target(id) };
      });
      return sendAnswer(reply, answer);
    },
  );

  app.post(
    '/webhooks/:id/deliveries/:delivery_id/redeliver',
    {
      config: { ...config, problems: ['events_gone'] },
      schema: {
        operationId: 'webhook_delivery_redeliver',
        summary: 'Send an event again',
        description:
          'Sends the event of a delivery again, also to a webhook that is disabled or paused. It is a new delivery with the ' +
          'same `message_id`, which is retried like any other. If the delivery is still `pending`, it is attempted now instead.',
        tags,
        params: DeliveryParams,
        response: { 202: WebhookDelivery },
      },
    },
    async (request, reply) => {
      const { id, delivery_id } = request.params;
      const answer = await change(request, deps, async ({ project }) => {
        const row = await redeliver(project, id, delivery_id);
        const headers = { Location: apiPath(request, `/webhooks/${id}/deliveries/${row.id}`) };
        const details = { delivery: delivery_id };
        return { status: 202, headers, body: deliveryView(row), target: target(id), details };
      });
      return sendAnswer(reply, answer);
    },
  );
}
