import { SessionConfirm, SessionConfirmed } from '@berth/contract/sessions';
import type { App, Deps } from '../callers/app-types.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { confirm, readProof } from './confirmation.ts';

export function confirmationRoutes(app: App, deps: Deps): void {
  app.post(
    '/session/confirm',
    {
      // The route itself requires the proof.
      config: { scope: 'person', needsConfirmation: false },
      schema: {
        operationId: 'session_confirm',
        summary: 'Confirm your identity',
        description:
          'Confirms the identity of the user who is signed in, by their password or by a passkey. Requests that give lasting ' +
          'access or take it away, such as those that create tokens or change users, members or passkeys, require a sign-in or ' +
          'a confirmation within the last ten minutes. For a passkey, get a challenge from ' +
          '`POST /v1/session/passkey/options`.',
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
      app.limits.refundAttempts(request);
      return sendAnswer(reply, answer);
    },
  );
}
