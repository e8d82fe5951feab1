import { PathParams } from '@berth/contract/references';
import {
  NewToken,
  RevokedToken,
  Token,
  TokenCreate,
  TokenQuery,
  Whoami,
} from '@berth/contract/tokens';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { addressOf } from '../lib/client-address.ts';
import { apiPath } from '../requests/api-path.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { findNames } from '../users/queries.ts';
import { findToken, listTokens } from './queries.ts';
import { withRules } from './rules.ts';
import { createToken, revokeToken, tokenNotFound } from './tokens.ts';
import { tokenView } from './view.ts';

const params = PathParams({ id: 'token' });

const tags = ['Tokens'];

export function tokenRoutes(app: App, deps: Deps): void {
  readRoutes(app, deps);
  changeRoutes(app, deps);
}

function readRoutes(app: App, { db }: Deps): void {
  const config = { scope: 'servers:read' } as const;

  app.get(
    '/whoami',
    {
      config,
      schema: {
        operationId: 'whoami',
        summary: 'Get the current token or session',
        description:
          'Returns the token or session of the request, what it allows, and the project that the request is about.',
        tags,
        response: { 200: Whoami },
      },
    },
    async (request): Promise<Whoami> => {
      const { tokenId, userId, project, scopes, expiresAt, allowedNetworks } = request.caller;
      const names = await findNames(db, { projectId: project.id, userId });
      return {
        token_id: tokenId,
        user: names.user,
        project: { id: project.id, name: names.project },
        scopes: [...scopes],
        expires_at: expiresAt,
        allowed_networks: [...allowedNetworks],
        address: addressOf(request),
      };
    },
  );

  app.get(
    '/tokens',
    {
      config,
      schema: {
        operationId: 'token_list',
        summary: 'List the tokens of the project',
        description:
          'Returns the tokens of the project that were not revoked, without their secrets.',
        tags,
        querystring: TokenQuery,
        response: { 200: Type.Array(Token) },
      },
    },
    async (request, reply) => {
      const page = readPage(request);
      const { project } = request.caller;
      return sendList(request, reply, page, listTokens(project, request.query), tokenView);
    },
  );

  app.get(
    '/tokens/:id',
    {
      config,
      schema: {
        operationId: 'token_view',
        summary: 'Get a token',
        description: 'Returns a token, without its secret.',
        tags,
        params,
        response: { 200: Token },
      },
    },
    async (request) => {
      const id = request.params.id;
      const row = await findToken(request.caller.project, id);
      if (!row) throw tokenNotFound(id);
      return tokenView(row);
    },
  );
}

function changeRoutes(app: App, deps: Deps): void {
  const config = { scope: 'servers:write' } as const;

  app.post(
    '/tokens',
    {
      // The token may be valid forever, and the session is not.
      config: {
        ...config,
        needsConfirmation: true,
        problems: ['owner_required', 'quota_exceeded'],
      },
      errorHandler: (error, request) => {
        throw withRules(error, request);
      },
      schema: {
        operationId: 'token_create',
        summary: 'Create a token',
        description:
          'Creates a token for the project. It cannot allow more than the token or session that creates it. The response is ' +
          'the only one that contains its secret.',
        tags,
        body: TokenCreate,
        response: { 201: NewToken },
      },
    },
    async (request, reply) => {
      const answer = await change(request, deps, async ({ trx, project }) => {
        const { token, row } = await createToken(trx, project, request.caller, request.body);
        const headers = { Location: apiPath(request, `/tokens/${row.id}`) };
        const target = { kind: 'token', id: row.id } as const;
        const { scopes, expires_at, allowed_networks } = row;
        const details = { scopes, expires_at, allowed_networks };
        return { status: 201, headers, body: tokenView(row), secret: { token }, target, details };
      });
      return sendAnswer(reply, answer);
    },
  );

  app.delete(
    '/tokens/:id',
    {
      // This only takes access away, so it should be easy.
      config: { ...config, needsConfirmation: false, problems: ['owner_required'] },
      schema: {
        operationId: 'token_revoke',
        summary: 'Revoke a token',
        description:
          'Revokes a token, and with it all tokens that were created with it, directly or indirectly, in whatever project. ' +
          '`revoked_tokens` says how many tokens were revoked, and counts the token itself. To replace a token without ending the others, create those with another ' +
          'one first. The tokens are refused from the next request on, by other replicas of the service within a second. A token can revoke itself and the tokens that were created with it, a ' +
          'user their own ones, and owners and administrators all of the project.',
        tags,
        params,
        response: { 200: RevokedToken },
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const answer = await change(request, deps, async ({ trx, project }) => {
        const { row, count: revoked_tokens } = await revokeToken(trx, project, request.caller, id);
        const body = { ...tokenView(row), revoked_tokens };
        return { status: 200, body, target: { kind: 'token', id }, details: { revoked_tokens } };
      });
      return sendAnswer(reply, answer);
    },
  );
}
