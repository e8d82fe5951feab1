import {
  Project,
  ProjectCreate,
  ProjectQuery,
  ProjectQuota,
  ProjectUpdate,
} from '@berth/contract/projects';
import { PathParams } from '@berth/contract/references';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { callerOf } from '../access/authentication.ts';
import { difference } from '../audit/details.ts';
import type { App, Deps } from '../callers/app-types.ts';
import { allows } from '../callers/scopes.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { storedOutputs } from '../operations/output-queries.ts';
import { Problem } from '../problems/problem.ts';
import { apiPath } from '../requests/api-path.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { visibleProjects } from './members/visible-projects.ts';
import { changeProject, createProject, deleteProject } from './projects.ts';
import { listProjects } from './queries.ts';
import { quotaOf } from './quota.ts';
import { projectView } from './view.ts';
import { findVisibleProject } from './visible.ts';

const params = PathParams({ id: 'project' });

const tags = ['Projects'];
const bytesPerMib = 1024 ** 2;

const onlyForAdministrators = new Problem(
  'scope_missing',
  'Only administrators can list deleted projects.',
);

export function projectRoutes(app: App, deps: Deps): void {
  readRoutes(app, deps);
  changeRoutes(app, deps);
}

type WithId = FastifyRequest<{ Params: { id: number } }>;

function readRoutes(app: App, { db }: Deps): void {
  const read = { config: { scope: 'servers:read' } } as const;

  app.get(
    '/projects',
    {
      config: { ...read.config, worksWithoutProject: true },
      schema: {
        operationId: 'project_list',
        summary: 'List projects',
        description:
          'Returns the projects that the caller can access: for a token its own project, for a user the projects that they are ' +
          'a member of, and for an administrator all projects.',
        tags,
        querystring: ProjectQuery,
        response: { 200: Type.Array(Project) },
      },
    },
    async (request, reply) => {
      const page = readPage(request);
      const caller = callerOf(request);
      const withDeleted = request.query.include_deleted ?? false;
      if (withDeleted && !(caller && allows(caller.scopes, 'admin'))) throw onlyForAdministrators;
      const only = caller ? await visibleProjects(db, caller) : [];
      const projects = listProjects(db, { only, withDeleted, q: request.query.q });
      return sendList(request, reply, page, projects, projectView);
    },
  );

  const find = (request: WithId) => findVisibleProject(db, request.caller, request.params.id);

  app.get(
    '/projects/:id',
    {
      ...read,
      schema: {
        operationId: 'project_view',
        summary: 'Get a project',
        description: 'Returns a project, with its quota.',
        tags,
        params,
        response: { 200: Project },
      },
    },
    async (request) => projectView(await find(request)),
  );

  app.get(
    '/projects/:id/quota',
    {
      ...read,
      schema: {
        operationId: 'project_quota',
        summary: 'Get the quota of a project',
        description: 'Returns the limits of a project, and how much of each its servers use.',
        tags,
        params,
        response: { 200: ProjectQuota },
      },
    },
    async (request) => {
      const row = await find(request);
      const used = Math.ceil((await storedOutputs(db, row.id)) / bytesPerMib);
      return { ...quotaOf(row), outputs: { limit: row.max_outputs_mib, used } };
    },
  );
}

function changeRoutes(app: App, deps: Deps): void {
  const config = { scope: 'admin', needsConfirmation: false } as const;
  const one = { tags, params };

  app.post(
    '/projects',
    {
      config: { ...config, problems: ['name_taken'] },
      schema: {
        operationId: 'project_create',
        summary: 'Create a project',
        description: 'Creates a project. It has no members and no tokens yet.',
        tags,
        body: ProjectCreate,
        response: { 201: Project },
      },
    },
    async (request, reply) => {
      const answer = await change(request, deps, async ({ trx }) => {
        const row = await createProject(trx, request.body);
        const headers = { Location: apiPath(request, `/projects/${row.id}`) };
        const target = { kind: 'project', id: row.id } as const;
        return { status: 201, headers, body: projectView(row), target };
      });
      // A response that the previous release stored does not have it.
      answer.body.sizes_only ??= false;
      return sendAnswer(reply, answer);
    },
  );

  app.patch(
    '/projects/:id',
    {
      config: { ...config, problems: ['name_taken'] },
      schema: {
        ...one,
        operationId: 'project_update',
        summary: 'Update a project',
        description:
          'Changes a project, such as its name or its quota. A lower quota and `sizes_only` do not affect existing servers.',
        body: ProjectUpdate,
        response: { 200: Project },
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const answer = await change(request, deps, async ({ trx }) => {
        const { before, row } = await changeProject(trx, id, request.body);
        const body = projectView(row);
        const quota = difference(projectView(before).quota, body.quota);
        const { sizes_only } = body;
        const details = {
          ...difference({ sizes_only: before.sizes_only }, { sizes_only }),
          ...(Object.keys(quota).length > 0 && { quota }),
        };
        return { status: 200, body, target: { kind: 'project', id }, details };
      });
      return sendAnswer(reply, answer);
    },
  );

  app.delete(
    '/projects/:id',
    {
      config: { ...config, problems: ['project_in_use'] },
      schema: {
        ...one,
        operationId: 'project_delete',
        summary: 'Delete a project',
        description:
          'Deletes a project that has no servers, and revokes its tokens. Its history is kept. The first project of the ' +
          'installation, and the project of the token that makes the request, cannot be deleted.',
        response: { 200: Project },
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const answer = await change(request, deps, async ({ trx }) => {
        const row = await deleteProject(trx, id, request.caller);
        return { status: 200, body: projectView(row), target: { kind: 'project', id } };
      });
      return sendAnswer(reply, answer);
    },
  );
}
