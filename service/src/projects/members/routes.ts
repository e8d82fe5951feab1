import { PathParams } from '@berth/contract/references';
import { Member, MemberAdd, MemberUpdate, UserQuery } from '@berth/contract/users';
import { Type } from 'typebox';
import { difference } from '../../audit/details.ts';
import type { App, Deps } from '../../callers/app-types.ts';
import { allows } from '../../callers/scopes.ts';
import { change } from '../../changes/change.ts';
import { sendAnswer } from '../../changes/idempotency.ts';
import { apiPath } from '../../requests/api-path.ts';
import { readPage, sendList } from '../../requests/pagination.ts';
import {
  addMember,
  memberNotFound,
  removeMember,
  requireManager,
  setMember,
} from './memberships.ts';
import { findMember, listMembers } from './queries.ts';
import { memberView } from './view.ts';

const tags = ['Projects'];
const params = PathParams({ id: 'project' });
const memberParams = PathParams({ id: 'project', user_id: 'member' });
// memberships.ts refuses those who are no owners, since scopes do not distinguish owners.
const config = { scope: 'servers:read' } as const;
const confirmed = { ...config, needsConfirmation: true } as const;

export function membershipRoutes(app: App, deps: Deps): void {
  readRoutes(app, deps);
  changeRoutes(app, deps);
}

function readRoutes(app: App, { db }: Deps): void {
  app.get(
    '/projects/:id/members',
    {
      config: { ...config, problems: ['owner_required'] },
      schema: {
        operationId: 'member_list',
        summary: 'List the members of a project',
        description:
          'Returns the members of a project, with their roles. Only owners of the project and administrators can do this.',
        tags,
        params,
        querystring: UserQuery,
        response: { 200: Type.Array(Member) },
      },
    },
    async (request, reply) => {
      const projectId = request.params.id;
      const page = readPage(request);
      await requireManager(db, request.caller, projectId);
      return sendList(request, reply, page, listMembers(db, projectId, request.query), memberView);
    },
  );

  app.get(
    '/projects/:id/members/:user_id',
    {
      config: { ...config, problems: ['owner_required'] },
      schema: {
        operationId: 'member_view',
        summary: 'Get a member of a project',
        description:
          'Returns a member of a project. Only owners of the project and administrators can do this.',
        tags,
        params: memberParams,
        response: { 200: Member },
      },
    },
    async (request) => {
      const projectId = request.params.id;
      await requireManager(db, request.caller, projectId);
      const userId = request.params.user_id;
      const row = await findMember(db, projectId, userId);
      if (!row) throw memberNotFound(userId);
      return memberView(row);
    },
  );
}

function changeRoutes(app: App, deps: Deps): void {
  app.post(
    '/projects/:id/members',
    {
      config: { ...confirmed, problems: ['already_member', 'owner_required'] },
      schema: {
        operationId: 'member_add',
        summary: 'Add a member to a project',
        description:
          'Adds a user to a project, by their email address. Only owners of the project and administrators can do this.',
        tags,
        params,
        body: MemberAdd,
        response: { 201: Member },
      },
    },
    async (request, reply) => {
      const projectId = request.params.id;
      const { caller, body } = request;
      const answer = await change(
        request,
        deps,
        async ({ trx }) => {
          const row = await addMember(trx, caller, { projectId, ...body });
          const target = { kind: 'user', id: row.id } as const;
          const headers = {
            Location: apiPath(request, `/projects/${projectId}/members/${row.id}`),
          };
          const details = difference(null, { role: row.role });
          return { status: 201, headers, body: memberView(row), target, projectId, details };
        },
        async () => {
          const { scopes, userId } = caller;
          // Administrators can list all users anyway.
          if (userId === null || allows(scopes, 'admin')) return;
          await app.limits.admitEmailLookup(reply, userId);
        },
      );
      return sendAnswer(reply, answer);
    },
  );

  app.put(
    '/projects/:id/members/:user_id',
    {
      config: { ...confirmed, problems: ['last_owner', 'owner_required'] },
      schema: {
        operationId: 'member_set',
        summary: 'Update a member of a project',
        description:
          'Changes the role of a member. Only owners of the project and administrators can do this. The last owner of a project ' +
          'keeps that role.',
        tags,
        params: memberParams,
        body: MemberUpdate,
        response: { 200: Member },
      },
    },
    async (request, reply) => {
      const projectId = request.params.id;
      const userId = request.params.user_id;
      const { role } = request.body;
      const answer = await change(request, deps, async ({ trx }) => {
        const { before, row } = await setMember(trx, request.caller, { projectId, userId, role });
        const target = { kind: 'user', id: userId } as const;
        const details = difference({ role: before.role }, { role: row.role });
        return { status: 200, body: memberView(row), target, projectId, details };
      });
      return sendAnswer(reply, answer);
    },
  );

  app.delete(
    '/projects/:id/members/:user_id',
    {
      config: { ...confirmed, problems: ['last_owner', 'owner_required'] },
      schema: {
        operationId: 'member_remove',
        summary: 'Remove a member from a project',
        description:
          'Removes a member from a project, and revokes the tokens that the member created for it. Owners of the project and ' +
          'administrators can do this, and members can remove themselves. The last owner cannot be removed, not even by an ' +
          'administrator.',
        tags,
        params: memberParams,
        response: { 200: Member },
      },
    },
    async (request, reply) => {
      const projectId = request.params.id;
      const userId = request.params.user_id;
      const answer = await change(request, deps, async ({ trx }) => {
        const row = await removeMember(trx, request.caller, { projectId, userId });
        const target = { kind: 'user', id: userId } as const;
        const details = { role: { before: row.role, after: null } };
        return { status: 200, body: memberView(row), target, projectId, details };
      });
      return sendAnswer(reply, answer);
    },
  );
}
