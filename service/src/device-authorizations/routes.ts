import {
  DeviceApproval,
  DeviceAuthorization,
  DeviceAuthorizationCreate,
  DeviceToken,
  DeviceTokenRequest,
  PendingAuthorization,
  UserCodeParams,
} from '@berth/contract/device-authorizations';
import { Token } from '@berth/contract/tokens';
import type { App, Deps } from '../callers/app-types.ts';
import { change, changesNothing } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { addressOf } from '../lib/client-address.ts';
import { Problem } from '../problems/problem.ts';
import { ownOrigin } from '../sessions/origin.ts';
import { tokenView } from '../tokens/view.ts';
import { approve, begin, deny, redeem, requirePending } from './device-authorizations.ts';
import { pendingView } from './view.ts';

const tags = ['Tokens'];

export function deviceAuthorizationRoutes(app: App, deps: Deps): void {
  programRoutes(app, deps);
  viewRoute(app, deps);
  decisionRoutes(app, deps);
}

/** For the program, which has no token yet. */
function programRoutes(app: App, deps: Deps): void {
  const config = { scope: 'public' } as const;

  app.post(
    '/device-authorizations',
    {
      config: { ...config, beginsSignIn: true },
      schema: {
        operationId: 'device_authorization_create',
        summary: 'Ask a person for a token',
        description:
          'Begins a sign-in of a program, as RFC 8628 describes it. The program shows `user_code`, opens ' +
          '`verification_url_complete` in a browser, where a person who is signed in to the panel approves, and meanwhile asks ' +
          'for the token with `device_code`.',
        tags,
        body: DeviceAuthorizationCreate,
        response: { 201: DeviceAuthorization },
      },
    },
    async (request, reply) => {
      const program = {
        clientName: request.body.client_name,
        address: addressOf(request),
        origin: ownOrigin(request, deps.publicUrl),
      };
      return reply.code(201).send(await changesNothing(request, begin(deps, program)));
    },
  );

  app.post(
    '/device-authorizations/token',
    {
      config: {
        ...config,
        problems: ['authorization_pending', 'authorization_denied', 'device_code_invalid'],
      },
      schema: {
        operationId: 'device_authorization_token',
        summary: 'Get the token that a person has approved',
        description:
          'Returns the token, once. Until somebody has approved or denied it, the response is 400 `authorization_pending`: ask again after ' +
          '`interval` seconds.',
        tags,
        body: DeviceTokenRequest,
        response: { 200: DeviceToken },
      },
    },
    async (request) => {
      try {
        const token = await changesNothing(request, redeem(deps, request.body.device_code));
        request.server.limits.refundAttempts(request);
        return token;
      } catch (error) {
        // Only codes that do not exist are guesses.
        const isGuess = error instanceof Problem && error.code === 'device_code_invalid';
        if (!isGuess) request.server.limits.refundAttempts(request);
        throw error;
      }
    },
  );
}

// Whoever decides gives a token, so that the rules are those of `POST /v1/tokens`.
const config = { scope: 'servers:write' } as const;

function viewRoute(app: App, deps: Deps): void {
  app.get(
    '/device-authorizations/:user_code',
    {
      config: { ...config, problems: ['user_code_not_found'] },
      schema: {
        operationId: 'device_authorization_view',
        summary: 'Get the program that waits with a code',
        description:
          'Returns which program waits for a token with this code. Wrong codes are limited.',
        tags,
        params: UserCodeParams,
        response: { 200: PendingAuthorization },
      },
    },
    async (request, reply) => {
      await request.server.limits.admitCode(request, reply);
      const row = await requirePending(deps, request.params.user_code);
      request.server.limits.refundAttempts(request);
      return pendingView(row);
    },
  );
}

function decisionRoutes(app: App, deps: Deps): void {
  app.post(
    '/device-authorizations/:user_code/approve',
    {
      config: {
        ...config,
        needsConfirmation: true,
        problems: ['user_code_not_found', 'quota_exceeded'],
      },
      schema: {
        operationId: 'device_authorization_approve',
        summary: 'Give a program a token',
        description:
          'Creates a token for the project, as `POST /v1/tokens` does, for the program that waits with this code. Only that program ' +
          'gets its secret. If it has not fetched it when the code expires, the token is revoked within an hour.',
        tags,
        params: UserCodeParams,
        body: DeviceApproval,
        response: { 200: Token },
      },
    },
    async (request, reply) => {
      const { caller, params, body: wanted } = request;
      await request.server.limits.admitCode(request, reply);
      const answer = await change(request, deps, async (made) => {
        const { row, asker } = await approve(made, deps, caller, params.user_code, wanted);
        const { scopes, expires_at, allowed_networks } = row;
        const given = { scopes, expires_at, allowed_networks };
        const details = { ...given, ...askerOf(asker) };
        return {
          status: 200,
          body: tokenView(row),
          target: { kind: 'token', id: row.id },
          details,
        };
      });
      request.server.limits.refundAttempts(request);
      return sendAnswer(reply, answer);
    },
  );

  app.post(
    '/device-authorizations/:user_code/deny',
    {
      // This gives nobody access.
      config: { ...config, needsConfirmation: false, problems: ['user_code_not_found'] },
      schema: {
        operationId: 'device_authorization_deny',
        summary: 'Deny a program a token',
        description: 'Denies a token to the program that waits with this code.',
        tags,
        params: UserCodeParams,
        response: { 200: PendingAuthorization },
      },
    },
    async (request, reply) => {
      await request.server.limits.admitCode(request, reply);
      const answer = await change(request, deps, async ({ trx, project }) => {
        const row = await deny(trx, request.params.user_code);
        const target = { kind: 'project', id: project.id } as const;
        return { status: 200, body: pendingView(row), target, details: askerOf(row) };
      });
      request.server.limits.refundAttempts(request);
      return sendAnswer(reply, answer);
    },
  );
}

const askerOf = (row: { client_name: string; address: string }) => ({
  client_name: row.client_name,
  client_address: row.address,
});
