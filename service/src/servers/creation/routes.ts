import {
  type Server,
  ServerCreate,
  ServerCreated,
  ServerCreateQuery,
  ServerDryRun,
} from '@berth/contract/servers';
import { Type } from 'typebox';
import type { App } from '../../callers/app-types.ts';
import {
  operationHeader,
  sendOutcome,
  type WaitingDeps,
  waitHint,
} from '../../changes/accepted.ts';
import { type Change, change, changesNothing } from '../../changes/change.ts';
import type { ImageServerDeps } from '../../operating-systems/routes.ts';
import { failuresOf } from '../../operations/define.ts';
import { isBeingRetried, outcomeOf } from '../../operations/outcome.ts';
import { createOf } from '../../operations/queries.ts';
import { apiPath } from '../../requests/api-path.ts';
import { serverNotFound } from '../not-found.ts';
import { createOperation } from '../operations/create.ts';
import { findServer } from '../queries.ts';
import { serverView } from '../view.ts';
import {
  createServer,
  dryRunCreate,
  refuseEarly,
  type SealedSecrets,
  sealSecrets,
} from './create.ts';

const tags = ['Servers'];

type CreationDeps = WaitingDeps & ImageServerDeps;

export function serverCreationRoutes(app: App, deps: CreationDeps): void {
  createRoute(app, deps);
  dryRunRoute(app, deps);
}

const createRefusals = ['name_taken', 'no_address_left', 'no_capacity', 'quota_exceeded'] as const;

function createRoute(app: App, deps: CreationDeps): void {
  const { db, imageServers, secretKey } = deps;
  app.post(
    '/servers',
    {
      config: {
        scope: 'servers:write',
        needsConfirmation: false,
        problems: [...createRefusals, ...failuresOf(createOperation)],
      },
      schema: {
        operationId: 'server_create',
        summary: 'Create a server',
        description:
          'Creates a server. The response comes at once and contains the IP addresses of the server, while an operation ' +
          'creates it. `GET /v1/servers/{id}/status` returns its progress. To try a request without creating anything, ' +
          `use \`POST /v1/servers/dry-run\`. ${waitHint}`,
        tags,
        querystring: ServerCreateQuery,
        body: ServerCreate,
        response: {
          200: Type.Object(ServerDryRun.properties, { undocumented: true }),
          201: ServerCreated,
        },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const { project } = request.caller;
      if (request.query.dry_run)
        return await changesNothing(request, dryRunCreate(db, project, body, imageServers));
      // Hashing takes milliseconds, so nothing is hashed that would be refused, or that has an answer already.
      const prepare = async () => {
        await refuseEarly(db, project, body, imageServers);
        return await sealSecrets(body, secretKey, `project:${project.id}`);
      };
      const create = async ({ trx, project }: Change, secrets: SealedSecrets) => {
        const { serverId, operation, warnings } = await createServer(trx, project, body, secrets);
        const row = await findServer(project, serverId);
        if (!row) throw serverNotFound(serverId);
        const location = apiPath(request, `/servers/${serverId}`);
        return {
          status: 201,
          headers: { Location: location, ...operationHeader(operation) },
          body: { ...withWarnings(serverView(row), warnings), operation: outcomeOf(operation) },
          target: { kind: 'server' as const, id: serverId },
        };
      };
      const answer = await change(request, deps, create, prepare);
      // A response that the previous release stored does not have these.
      answer.body.operation ??= outcomeOf(await createOf(project, answer.body.id));
      answer.body.ssh_keys ??= [];
      answer.body.password_login ??= true;
      answer.body.labels ??= {};
      answer.body.notes ??= '';
      answer.body.size ??= null;
      answer.body.size_id ??= null;
      answer.body.protection ??= { delete: false, rebuild: false };
      return await sendOutcome(deps, request, reply, answer, async (operation) => {
        const row = await findServer(project, answer.body.id);
        const { warnings = [] } = answer.body;
        const server = row ? serverView(row) : answer.body;
        const retry = isBeingRetried(operation) ? [`${operation.message}.`] : [];
        return {
          ...withWarnings(server, [...warnings, ...retry]),
          operation: outcomeOf(operation),
        };
      });
    },
  );
}

function withWarnings(server: Server, warnings: string[]): Server {
  return { ...server, ...(warnings.length > 0 && { warnings }) };
}

function dryRunRoute(app: App, { db, imageServers }: CreationDeps): void {
  app.post(
    '/servers/dry-run',
    {
      config: {
        scope: 'servers:write',
        needsConfirmation: false,
        countsAsRead: true,
        problems: [...createRefusals, 'image_server_not_allowed'],
      },
      schema: {
        operationId: 'server_dry_run',
        summary: 'Validate the creation of a server',
        description:
          'Takes the same body as `POST /v1/servers`, and returns the node that the server would run on and the IP ' +
          'addresses that it would get, or the problem with which the request would be refused. Nothing is created or ' +
          'reserved. If the location cannot be reached, a creation is accepted and waits; `warnings` then says so.',
        tags,
        body: ServerCreate,
        response: { 200: ServerDryRun },
      },
    },
    async (request) =>
      await changesNothing(
        request,
        dryRunCreate(db, request.caller.project, request.body, imageServers),
      ),
  );
}
