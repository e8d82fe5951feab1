import { PageQuery } from '@berth/contract/pagination';
import {
  Passkey,
  PasskeyCreate,
  PasskeyCreation,
  PasskeyRequest,
  PasskeySignIn,
} from '@berth/contract/passkeys';
import { PathParams } from '@berth/contract/references';
import { CurrentSession } from '@berth/contract/sessions';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { change, changesNothing } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { invalidFields, Problem } from '../problems/problem.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { sessionEnded } from '../sessions/ended.ts';
import { signInFailed } from '../sessions/failures.ts';
import { requireOwnOrigin } from '../sessions/origin.ts';
import { signIn } from '../sessions/sessions.ts';
import { lockUser } from '../users/queries.ts';
import { authenticationOptions, readAuthentication } from './authentication.ts';
import { deletePasskey, insertPasskey, listPasskeys, recordPasskeyUse } from './queries.ts';
import { readRegistration, registrationOptions } from './registration.ts';
import { passkeyView } from './view.ts';

const params = PathParams({ id: 'passkey' });

export function passkeyRoutes(app: App, deps: Deps): void {
  signInRoutes(app, deps);
  ownRoutes(app, deps);
  registrationRoutes(app, deps);
}

function signInRoutes(app: App, deps: Deps): void {
  const tags = ['Sessions'];
  const config = { scope: 'public' } as const;

  app.post(
    '/session/passkey/options',
    {
      config: { ...config, beginsSignIn: true, problems: ['csrf_failed'] },
      schema: {
        operationId: 'session_passkey_options',
        summary: 'Start a sign-in with a passkey',
        description:
          'Returns a challenge for a sign-in with a passkey. No user name is needed, because the passkey identifies the user. ' +
          'The browser signs the challenge, and `POST /v1/session/passkey` completes the sign-in.',
        tags,
        response: { 200: PasskeyRequest },
      },
    },
    async (request) => {
      requireOwnOrigin(request, deps.publicUrl);
      return await changesNothing(request, authenticationOptions(deps));
    },
  );

  app.post(
    '/session/passkey',
    {
      config: { ...config, problems: ['csrf_failed', 'sign_in_failed'] },
      schema: {
        operationId: 'session_passkey',
        summary: 'Sign in with a passkey',
        description:
          'Completes a sign-in with a passkey, and sets the session cookie. The session ends 12 hours after its last use.',
        tags,
        body: PasskeySignIn,
        response: { 201: CurrentSession },
      },
    },
    async (request, reply) => {
      requireOwnOrigin(request, deps.publicUrl);
      const found = await readAuthentication(deps, request.body);
      if (!found.proven) {
        const detail = 'The passkey is unknown, or the challenge has expired. Try again.';
        throw signInFailed(request, detail, found.userId);
      }
      const { id, userId, counter } = found.proven;
      const answer = await signIn(request, reply, deps, async (trx) => {
        // This is the lock order of all transactions that change both.
        await lockUser(trx, userId);
        if (await recordPasskeyUse(trx, id, counter)) return userId;
        throw signInFailed(request, 'The passkey was removed just now.', userId);
      });
      return sendAnswer(reply, answer);
    },
  );
}

const tags = ['Sessions'];
const config = { scope: 'person' } as const;
// Somebody who adds a passkey in an unattended browser could sign in from then on.
const confirmed = { scope: 'person', needsConfirmation: true } as const;

function ownRoutes(app: App, deps: Deps): void {
  app.get(
    '/passkeys',
    {
      config,
      schema: {
        operationId: 'passkey_list',
        summary: 'List your passkeys',
        description: 'Returns the passkeys of the user who is signed in.',
        tags,
        querystring: PageQuery,
        response: { 200: Type.Array(Passkey) },
      },
    },
    async (request, reply) => {
      const { userId } = request.person;
      return sendList(
        request,
        reply,
        readPage(request),
        listPasskeys(deps.db, userId),
        passkeyView,
      );
    },
  );

  app.delete(
    '/passkeys/:id',
    {
      config: confirmed,
      schema: {
        operationId: 'passkey_delete',
        summary: 'Delete a passkey',
        description:
          'Deletes a passkey of the user who is signed in. It can no longer be used to sign in.',
        tags,
        params,
        response: { 200: Passkey },
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const { userId } = request.person;
      const answer = await change(request, deps, async ({ trx }) => {
        const row = await deletePasskey(trx, userId, id);
        if (!row) throw passkeyNotFound(id);
        return { status: 200, body: passkeyView(row), target: { kind: 'user', id: userId } };
      });
      return sendAnswer(reply, answer);
    },
  );
}

function registrationRoutes(app: App, deps: Deps): void {
  app.post(
    '/passkeys/options',
    {
      config: confirmed,
      schema: {
        operationId: 'passkey_options',
        summary: 'Start adding a passkey',
        description:
          'Returns the options of a new passkey. The browser creates the passkey, and `POST /v1/passkeys` adds it.',
        tags,
        response: { 200: PasskeyCreation },
      },
    },
    async (request) => await changesNothing(request, registrationOptions(deps, request.person)),
  );

  app.post(
    '/passkeys',
    {
      config: confirmed,
      schema: {
        operationId: 'passkey_create',
        summary: 'Add a passkey',
        description: 'Adds a passkey that the browser created to the user who is signed in.',
        tags,
        body: PasskeyCreate,
        response: { 201: Passkey },
      },
    },
    async (request, reply) => {
      const { person, body } = request;
      const answer = await change(
        request,
        deps,
        async ({ trx }, passkey) => {
          if (!(await lockUser(trx, person.userId))) throw sessionEnded();
          const row = await insertPasskey(trx, passkey);
          if (!row)
            throw invalidFields([{ pointer: '/credential', detail: 'Is registered already.' }]);
          const target = { kind: 'user', id: person.userId } as const;
          return { status: 201, body: passkeyView(row), target };
        },
        () => readRegistration(deps, person, body),
      );
      return sendAnswer(reply, answer);
    },
  );
}

function passkeyNotFound(id: number | string): Problem {
  return new Problem('passkey_not_found', `You have no passkey with the id ${id}.`);
}
