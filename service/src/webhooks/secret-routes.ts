import { PathParams } from '@berth/contract/references';
import { NewWebhookSecret, SecretRotation } from '@berth/contract/webhooks';
import type { App } from '../callers/app-types.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { rulesOf, type WebhookDeps } from './routes.ts';
import { webhookView } from './view.ts';
import { rotateSecret } from './webhooks.ts';

const params = PathParams({ id: 'webhook' });

export function webhookSecretRoutes(app: App, deps: WebhookDeps): void {
  app.post(
    '/webhooks/:id/rotate-secret',
    {
      config: { scope: 'servers:write', needsConfirmation: true },
      schema: {
        operationId: 'webhook_rotate_secret',
        summary: 'Replace the secret of a webhook',
        description:
          'Gives a webhook a new secret, which only this response contains. For `keep_former_hours`, 24 by default, each ' +
          'delivery has a signature with each of the two secrets, so that receivers can replace theirs at any time within it.',
        tags: ['Webhooks'],
        params,
        body: SecretRotation,
        response: { 200: NewWebhookSecret },
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const answer = await change(request, deps, async ({ trx, project }) => {
        const context = { ...rulesOf(deps), trx };
        const { row, secret } = await rotateSecret(context, project, id, request.body);
        const details = { former_secret_until: row.former_secret_until };
        return {
          ...{ status: 200, body: webhookView(row), secret: { secret } },
          ...{ target: { kind: 'webhook', id } as const, details },
        };
      });
      return sendAnswer(reply, answer);
    },
  );
}
