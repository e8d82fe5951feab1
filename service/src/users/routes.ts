import { PathParams } from '@berth/contract/references';
import { User, UserCreate, UserQuery, UserUpdate } from '@berth/contract/users';
import { Type } from 'typebox';
import { difference } from '../audit/details.ts';
import type { App, Deps } from '../callers/app-types.ts';
import { type Change, change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { apiPath } from '../requests/api-path.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { findUser, listUsers } from './queries.ts';
import {
  acceptFirstPassword,
  acceptNextPassword,
  changeUser,
  createUser,
  deleteUser,
  powersOf,
  userNotFound,
} from './users.ts';
import { userView } from './view.ts';

const params = PathParams({ id: 'user' });

const tags = ['Users'];
const config = { scope: 'admin' } as const;
// An administrator who is added in an unattended session would stay one.
const confirmed = { ...config, needsConfirmation: true } as const;

export function userRoutes(app: App, deps: Deps): void {
  readRoutes(app, deps);
  changeRoutes(app, deps);
}

function readRoutes(app: App, { db }: Deps): void {
  app.get(
    '/users',
    {
      config,
      schema: {
        operationId: 'user_list',
        summary: 'List users',
        description: 'Returns all users, sorted by ID.',
        tags,
        querystring: UserQuery,
        response: { 200: Type.Array(User) },
      },
    },
    async (request, reply) => {
      const page = readPage(request);
      return sendList(request, reply, page, listUsers(db, request.query), userView);
    },
  );

  app.get(
    '/users/:id',
    {
      config,
      schema: {
        operationId: 'user_view',
        summary: 'Get a user',
        description: 'Returns a user.',
        tags,
        params,
        response: { 200: User },
      },
    },
    async (request) => {
      const id = request.params.id;
      const row = await findUser(db, id);
      if (!row) throw userNotFound(id);
      return userView(row);
    },
  );
}

function changeRoutes(app: App, deps: Deps): void {
  app.post(
    '/users',
    {
      config: { ...confirmed, problems: ['email_taken'] },
      schema: {
        operationId: 'user_create',
        summary: 'Create a user',
        description:
          'Adds a user. A user who is not an administrator can do nothing until they are a member of a project.',
        tags,
        body: UserCreate,
        response: { 201: User },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const add = async ({ trx }: Change, passwordHash: string | null) => {
        const row = await createUser(trx, body, passwordHash);
        const headers = { Location: apiPath(request, `/users/${row.id}`) };
        const target = { kind: 'user', id: row.id } as const;
        const details = difference(null, powersOf(row));
        return { status: 201, headers, body: userView(row), target, details };
      };
      const answer = await change(request, deps, add, () => acceptFirstPassword(body));
      return sendAnswer(reply, answer);
    },
  );

  app.patch(
    '/users/:id',
    {
      config: { ...confirmed, problems: ['email_taken', 'last_owner', 'own_account'] },
      schema: {
        operationId: 'user_update',
        summary: 'Update a user',
        description:
          'Changes a user. A new password ends the sessions of the user at once, and does not affect their tokens. Disabling a ' +
          'user ends their sessions, and their tokens are refused until the user is enabled again. To change your own ' +
          'password, use `PUT /v1/session/password`.',
        tags,
        params,
        body: UserUpdate,
        response: { 200: User },
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const { body, caller } = request;
      const update = async ({ trx }: Change, passwordHash: string | undefined) => {
        const given = { passwordHash, ownId: caller.userId };
        const { row, details } = await changeUser(trx, id, body, given);
        const target = { kind: 'user', id } as const;
        return { status: 200, body: userView(row), target, details };
      };
      const accept = () => acceptNextPassword(deps.db, id, body, caller.userId);
      const answer = await change(request, deps, update, accept);
      return sendAnswer(reply, answer);
    },
  );

  app.delete(
    '/users/:id',
    {
      config: { ...confirmed, problems: ['last_owner', 'own_account'] },
      schema: {
        operationId: 'user_delete',
        summary: 'Delete a user',
        description:
          'Deletes a user, ends their sessions and revokes their tokens. The audit log keeps the ID of the user. The last owner ' +
          'of a project cannot be deleted.',
        tags,
        params,
        response: { 200: User },
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const answer = await change(request, deps, async ({ trx }) => {
        const row = await deleteUser(trx, id, request.caller.userId);
        return { status: 200, body: userView(row), target: { kind: 'user', id } };
      });
      return sendAnswer(reply, answer);
    },
  );
}
