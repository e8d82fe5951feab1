import { PathParams } from '@berth/contract/references';
import {
  NewWebhookSecret,
  Webhook,
  WebhookCreate,
  WebhookQuery,
  WebhookUpdate,
} from '@berth/contract/webhooks';
import { Type } from 'typebox';
import { difference } from '../audit/details.ts';
import type { App, Deps } from '../callers/app-types.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import type { Trx } from '../db/connection.ts';
import { apiPath } from '../requests/api-path.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { listWebhooks, type ShownWebhook } from './queries.ts';
import type { TargetRules } from './url.ts';
import { webhookView } from './view.ts';
import { changeWebhook, createWebhook, deleteWebhook, requireWebhook } from './webhooks.ts';

/** The dependencies of the routes of webhooks. */
export interface WebhookDeps extends Deps {
  webhookTargets: TargetRules;
}

const params = PathParams({ id: 'webhook' });

const tags = ['Webhooks'];
const target = (id: number) => ({ kind: 'webhook', id }) as const;

export function webhookRoutes(app: App, deps: WebhookDeps): void {
  readRoutes(app);
  changeRoutes(app, deps);
}

function readRoutes(app: App): void {
  // A URL may be a secret of its receiver, and a response may repeat what it was sent.
  const config = { scope: 'servers:write' } as const;

  app.get(
    '/webhooks',
    {
      config,
      schema: {
        operationId: 'webhook_list',
        summary: 'List webhooks',
        description: 'Returns the webhooks of the project, sorted by ID, without their secrets.',
        tags,
        querystring: WebhookQuery,
        response: { 200: Type.Array(Webhook) },
      },
    },
    async (request, reply) => {
      const page = readPage(request);
      const { project } = request.caller;
      return sendList(request, reply, page, listWebhooks(project, request.query), webhookView);
    },
  );

  app.get(
    '/webhooks/:id',
    {
      config,
      schema: {
        operationId: 'webhook_view',
        summary: 'Get a webhook',
        description: 'Returns a webhook, without its secret.',
        tags,
        params,
        response: { 200: Webhook },
      },
    },
    async (request) => webhookView(await requireWebhook(request.caller.project, request.params.id)),
  );
}

function changeRoutes(app: App, deps: WebhookDeps): void {
  // Whoever uses a session that was left open could have all events sent to themselves from then on.
  const config = { scope: 'servers:write', needsConfirmation: true } as const;
  const one = { tags, params, response: { 200: Webhook } };
  const contextOf = (trx: Trx) => ({ ...rulesOf(deps), trx });

  app.post(
    '/webhooks',
    {
      config: { ...config, problems: ['name_taken', 'quota_exceeded'] },
      schema: {
        operationId: 'webhook_create',
        summary: 'Create a webhook',
        description:
          'Creates a webhook: from now on, each event of the project that it selects is sent to its URL by POST, as the ' +
          'object that `GET /v1/events` returns, until the URL responds with a status from 200 to 299, for up to 24 hours. An event can arrive more than ' +
          'once, and events in any order. The headers `webhook-id`, `webhook-timestamp` and `webhook-signature` are those of ' +
          '[Standard Webhooks](https://www.standardwebhooks.com). The response is the only one that contains the secret for the ' +
          'signature. A project can have up to 20 webhooks. `docs/webhooks.md` has more.',
        tags,
        body: WebhookCreate,
        response: { 201: NewWebhookSecret },
      },
    },
    async (request, reply) => {
      const answer = await change(request, deps, async ({ trx, project }) => {
        const { row, secret } = await createWebhook(contextOf(trx), project, request.body);
        const headers = { Location: apiPath(request, `/webhooks/${row.id}`) };
        const details = { ...difference(null, auditedOf(row)) };
        const body = webhookView(row);
        return { status: 201, headers, body, secret: { secret }, target: target(row.id), details };
      });
      return sendAnswer(reply, answer);
    },
  );

  app.patch(
    '/webhooks/:id',
    {
      config: { ...config, problems: ['name_taken', 'secrets_unreadable'] },
      schema: {
        ...one,
        operationId: 'webhook_update',
        summary: 'Change a webhook',
        description:
          'Changes a webhook. Pending deliveries are sent with the new URL and headers. If the URL is of another origin, `headers` ' +
          'must be given again, because their values are secret. `enabled` as `true` also resumes a ' +
          'paused webhook.',
        body: WebhookUpdate,
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const answer = await change(request, deps, async ({ trx, project }) => {
        const { before, row } = await changeWebhook(contextOf(trx), project, id, request.body);
        const details = {
          ...difference(auditedOf(before), auditedOf(row)),
          // Their values are secret, and may be other ones under the same names.
          ...(request.body.headers && { headers_changed: true }),
        };
        return { status: 200, body: webhookView(row), target: target(id), details };
      });
      return sendAnswer(reply, answer);
    },
  );

  app.delete(
    '/webhooks/:id',
    {
      // It gives nobody anything.
      config: { ...config, needsConfirmation: false },
      schema: {
        ...one,
        operationId: 'webhook_delete',
        summary: 'Delete a webhook',
        description:
          'Deletes a webhook with its secrets. Nothing more is sent to it, except what is being sent now.',
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const answer = await change(request, deps, async ({ trx, project }) => {
        const row = await deleteWebhook(trx, project, id);
        const details = { name: row.name };
        return { status: 200, body: webhookView(row), target: target(id), details };
      });
      return sendAnswer(reply, answer);
    },
  );
}

export const rulesOf = ({ secretKey, webhookTargets }: WebhookDeps) => ({
  secretKey,
  targets: webhookTargets,
});

/** For the audit log. The path of a URL may be a secret of its receiver. */
const auditedOf = ({
  name,
  url,
  types,
  label_selector,
  enabled,
  paused_because,
}: ShownWebhook) => ({
  name,
  url_origin: new URL(url).origin,
  types: types.join(),
  label_selector,
  enabled,
  paused_because,
});
