import { SessionConfirm, SessionConfirmed } from '@berth/contract/sessions';
import type { App, Deps } from '../callers/app-types.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { confirm, readProof } from './confirmation.ts';

export function confirmationRoutes(app: App, deps: Deps): void {
  app.post(
    '/session/confirm',
    {
      config: { scope: 'person' },
      schema: {
        operationId: 'session_confirm',
        summary: 'Confirm that it is you',
        description:
          'Whatever makes tokens, or changes users, members or passkeys, wants to know it ten minutes after you signed in. A passkey signs options of `POST /v1/session/passkey/options`.',
        tags: ['Sessions'],
        body: SessionConfirm,
        response: { 200: SessionConfirmed },
      },
    },
    async (request, reply) => {
      const { person, body } = request;
      const answer = await change(
        request,
        deps,
        async ({ trx }, proof) => {
          const confirmed_until = await confirm(trx, person, proof);
          const target = { kind: 'user', id: person.userId } as const;
          return { status: 200, body: { confirmed_until }, target };
        },
        () => readProof(request, reply, deps, person, body),
      );
      app.limits.succeeded(request);
      return sendAnswer(reply, answer);
    },
  );
}
