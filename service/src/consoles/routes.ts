import { Console, consoleProtocol } from '@berth/contract/consoles';
import { PathParams } from '@berth/contract/references';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { personOf } from '../access/authentication.ts';
import type { App, Deps } from '../callers/app-types.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { acceptWebSocket, requireWebSocket } from '../edge/upgrades.ts';
import { addressOf } from '../lib/client-address.ts';
import { Problem } from '../problems/problem.ts';
import { apiPath } from '../requests/api-path.ts';
import { explainOtherProject } from '../servers/elsewhere.ts';
import { requireOwnOrigin } from '../sessions/origin.ts';
import { generateSecret, isSecret, secretHash } from '../sessions/secret.ts';
import { enterConsole } from './consoles.ts';
import type { Consoles } from './hub.ts';

export interface ConsoleDeps extends Deps {
  consoles: Consoles;
}

const tags = ['Servers'];

export function consoleRoutes(app: App, deps: ConsoleDeps): void {
  requestRoute(app, deps);
  openRoute(app, deps);
  // Consoles would delay the end of the server.
  app.addHook('preClose', async () => deps.consoles.stop());
}

function requestRoute(app: App, deps: ConsoleDeps): void {
  app.post(
    '/servers/:id/console',
    {
      errorHandler: explainOtherProject(deps.db),
      config: {
        scope: 'servers:write',
        needsConfirmation: false,
        problems: ['server_not_running', 'suspended', 'too_many_consoles'],
      },
      schema: {
        operationId: 'server_console',
        summary: 'Request the console of a server',
        description:
          'Returns a URL at which the console of a running server can be opened with a WebSocket: what its guest shows on its ' +
          'own terminal, such as the login prompt. The URL can be used once, within 30 seconds. The console is closed when the ' +
          'session or the token ends that requested it. A server has four consoles at most. `docs/console.md` describes the ' +
          'messages.',
        tags,
        params: PathParams({ id: 'server' }),
        response: { 201: Console },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const ticket = generateSecret();
      const answer = await change(request, deps, async ({ project }) => {
        const expires_at = await enterConsole(project, {
          serverId: id,
          ticketHash: secretHash(ticket),
          tokenId: request.caller.tokenId,
          sessionId: personOf(request)?.sessionId ?? null,
        });
        const secret = { url: consoleUrl(request, deps, ticket) };
        return { status: 201, body: { expires_at }, secret, target: { kind: 'server', id } };
      });
      return sendAnswer(reply, answer);
    },
  );
}

/** Where the client has reached the service. A proxy that ends TLS need not be known as one. */
function consoleUrl(request: FastifyRequest, { publicUrl }: Deps, ticket: string): string {
  const { host, protocol } = request;
  const isSecure =
    protocol === 'https' || (publicUrl.protocol === 'https:' && publicUrl.host === host);
  return `${isSecure ? 'wss' : 'ws'}://${host}${apiPath(request, `/consoles/${ticket}`)}`;
}

function openRoute(app: App, { consoles, publicUrl }: ConsoleDeps): void {
  app.get(
    '/consoles/:ticket',
    {
      exposeHeadRoute: false,
      config: {
        scope: 'public',
        canRefuse: true,
        hasSecretPath: true,
        problems: ['console_not_found', 'csrf_failed', 'websocket_required', 'scope_missing'],
      },
      schema: {
        // It cannot be requested as the other routes are.
        hide: true,
        operationId: 'console_open',
        params: Type.Object({ ticket: Type.String() }),
        response: { 101: Type.Null() },
      },
    },
    async (request, reply) => {
      const { ticket } = request.params;
      requireOwnOrigin(request, publicUrl);
      requireWebSocket(request, consoleProtocol);
      const address = addressOf(request);
      const opened = isSecret(ticket)
        ? await consoles.redeem(secretHash(ticket), address)
        : undefined;
      if (!opened) throw consoleNotFound();
      request.server.limits.refundAttempts(request);
      const socket = await acceptWebSocket(request, reply);
      if (socket) consoles.join(opened, socket, { address, log: request.log });
      else consoles.forget(opened);
      return reply;
    },
  );
}

function consoleNotFound(): Problem {
  const detail = 'The ticket is unknown, was used before, or has expired.';
  return new Problem('console_not_found', detail);
}
