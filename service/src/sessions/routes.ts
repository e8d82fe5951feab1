import { PageQuery } from '@berth/contract/pagination';
import {
  CurrentSession,
  PasswordChange,
  Session,
  SessionsEnded,
  SessionsEndQuery,
  SignIn,
} from '@berth/contract/sessions';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import type { Trx } from '../db/connection.ts';
import { listMemberships } from '../projects/members/queries.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { countTokensOf, endSessions, revokeTokensOf } from '../users/belongings-queries.ts';
import { lockUser } from '../users/queries.ts';
import { requireOwnOrigin } from './origin.ts';
import { changePassword, prepareNewPassword } from './passwords.ts';
import { deleteSession, listSessions } from './queries.ts';
import { csrfToken } from './secret.ts';
import { clearCookie, requireSamePassword, signIn, userOfPassword } from './sessions.ts';
import { currentSessionView, sessionView } from './view.ts';

const tags = ['Sessions'];
// Signing out only takes access away, so it should be easy. A change of the password requires the
// old one.
const config = { scope: 'person', needsConfirmation: false } as const;

export function sessionRoutes(app: App, deps: Deps): void {
  signInRoute(app, deps);
  readRoutes(app, deps);
  signOutRoutes(app, deps);
  passwordRoute(app, deps);
}

function signInRoute(app: App, deps: Deps): void {
  app.post(
    '/session',
    {
      config: { scope: 'public', problems: ['csrf_failed', 'sign_in_failed'] },
      schema: {
        operationId: 'session_create',
        summary: 'Sign in with a password',
        description:
          'Starts a session with an email address and a password, and sets the session cookie. The session ends 12 hours after ' +
          'its last use, and at the latest 30 days after the sign-in. A session whose cookie is sent with the request ends.',
        tags,
        body: SignIn,
        response: { 201: CurrentSession },
      },
    },
    async (request, reply) => {
      requireOwnOrigin(request, deps.publicUrl);
      const proven = await userOfPassword(request, reply, deps, request.body);
      const who = (trx: Trx) => requireSamePassword(request, trx, proven);
      return sendAnswer(reply, await signIn(request, reply, deps, who));
    },
  );
}

function readRoutes(app: App, { db, secretKey }: Deps): void {
  app.get(
    '/session',
    {
      config,
      schema: {
        operationId: 'session_view',
        summary: 'Get the current session',
        description:
          'Returns the user who is signed in, their projects, and the `csrf_token` that changes need.',
        tags,
        response: { 200: CurrentSession },
      },
    },
    async ({ person }) => {
      const memberships = await listMemberships(db, person.userId);
      return currentSessionView(person, memberships, csrfToken(secretKey, person.sessionHash));
    },
  );

  app.get(
    '/sessions',
    {
      config,
      schema: {
        operationId: 'session_list',
        summary: 'List your sessions',
        description: 'Returns all sessions of the user who is signed in, the newest first.',
        tags,
        querystring: PageQuery,
        response: { 200: Type.Array(Session) },
      },
    },
    async (request, reply) => {
      const { userId, sessionId } = request.person;
      const page = readPage({ url: request.url, query: { ...request.query, sort: '-id' } });
      return sendList(request, reply, page, listSessions(db, userId), (row) =>
        sessionView(row, sessionId),
      );
    },
  );
}

function signOutRoutes(app: App, deps: Deps): void {
  app.delete(
    '/session',
    {
      config,
      schema: {
        operationId: 'session_delete',
        summary: 'Sign out',
        description: 'Ends the current session.',
        tags,
        response: { 200: SessionsEnded },
      },
    },
    async (request, reply) => {
      const { sessionId, userId } = request.person;
      const answer = await change(request, deps, async ({ trx }) => {
        await deleteSession(trx, { id: sessionId });
        const body = { ended: 1, tokens_left: await countTokensOf(trx, userId) };
        return { status: 200, body, target: { kind: 'user', id: userId } };
      });
      clearCookie(reply, deps.publicUrl);
      return sendAnswer(reply, answer);
    },
  );

  app.delete(
    '/sessions',
    {
      config,
      schema: {
        operationId: 'session_delete_all',
        summary: 'Sign out everywhere',
        description:
          'Ends all sessions of the user, including the current one. The tokens of the user stay valid unless `tokens` is ' +
          '`true`.',
        tags,
        querystring: SessionsEndQuery,
        response: { 200: SessionsEnded },
      },
    },
    async (request, reply) => {
      const { userId } = request.person;
      const answer = await change(request, deps, async ({ trx }) => {
        // A sign-in in progress holds the lock, and is seen after it.
        await lockUser(trx, userId);
        const ended = await endSessions(trx, userId);
        if (request.query.tokens) await revokeTokensOf(trx, userId);
        const body = { ended, tokens_left: await countTokensOf(trx, userId) };
        return { status: 200, body, target: { kind: 'user', id: userId } };
      });
      clearCookie(reply, deps.publicUrl);
      return sendAnswer(reply, answer);
    },
  );
}

function passwordRoute(app: App, deps: Deps): void {
  app.put(
    '/session/password',
    {
      config,
      schema: {
        operationId: 'password_change',
        summary: 'Change your password',
        description:
          'Changes the password of the user who is signed in, and ends their other sessions. Their tokens stay valid; ' +
          '`DELETE /v1/sessions?tokens=true` revokes them.',
        tags,
        body: PasswordChange,
        response: { 200: SessionsEnded },
      },
    },
    async (request, reply) => {
      const { person, body } = request;
      const answer = await change(
        request,
        deps,
        async ({ trx }, hashes) => {
          const ended = await changePassword(trx, person, hashes);
          const tokens_left = await countTokensOf(trx, person.userId);
          const target = { kind: 'user', id: person.userId } as const;
          return { status: 200, body: { ended, tokens_left }, target };
        },
        () => prepareNewPassword(request, reply, deps, person, body),
      );
      app.limits.refundAttempts(request);
      return sendAnswer(reply, answer);
    },
  );
}
