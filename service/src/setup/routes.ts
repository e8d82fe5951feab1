import { CurrentSession } from '@berth/contract/sessions';
import { Setup, SetupComplete } from '@berth/contract/setup';
import type { App, Deps } from '../callers/app-types.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import type { Trx } from '../db/connection.ts';
import { addressOf } from '../lib/client-address.ts';
import { networkKey } from '../limits/credentials.ts';
import { requireOwnOrigin } from '../sessions/origin.ts';
import { signIn } from '../sessions/sessions.ts';
import { acceptPassword } from '../users/users.ts';
import { createFirstAdministrator, requireCode } from './first-administrator.ts';
import { findCodeHash } from './queries.ts';

const tags = ['Sessions'];

export function setupRoutes(app: App, deps: Deps): void {
  app.get(
    '/setup',
    {
      config: { scope: 'public' },
      schema: {
        operationId: 'setup_view',
        summary: 'Get whether the setup is open',
        description:
          'Returns whether the first administrator can be made in the browser. This is possible as long as there has been no ' +
          'user, for 24 hours after each start of the service.',
        tags,
        response: { 200: Setup },
      },
    },
    async () => ({ open: (await findCodeHash(deps.db)) !== undefined }),
  );

  app.post(
    '/setup',
    {
      config: { scope: 'public', problems: ['csrf_failed', 'setup_closed'] },
      schema: {
        operationId: 'setup_complete',
        summary: 'Create the first administrator',
        description:
          'Creates the first administrator with the code that `npm start` prints, makes them an owner of the project `default`, ' +
          'and signs them in as `POST /v1/session` does. The code can be used once.',
        tags,
        body: SetupComplete,
        response: { 201: CurrentSession },
      },
    },
    async (request, reply) => {
      requireOwnOrigin(request, deps.publicUrl);
      const { body } = request;
      await requireCode(request, reply, deps, body);
      const about = [body.email, body.name];
      const asker = networkKey(addressOf(request));
      const passwordHash = await acceptPassword(body.password, about, { asker });
      const who = (trx: Trx) => createFirstAdministrator(request, trx, body, passwordHash);
      return sendAnswer(reply, await signIn(request, reply, deps, who));
    },
  );
}
