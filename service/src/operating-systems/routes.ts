import {
  OperatingSystem,
  OperatingSystemCreate,
  OperatingSystemQuery,
  OperatingSystemUpdate,
} from '@berth/contract/operating-systems';
import { PathParams } from '@berth/contract/references';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { apiPath } from '../requests/api-path.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import {
  changeOperatingSystem,
  createOperatingSystem,
  operatingSystemNotFound,
} from './operating-systems.ts';
import { findOperatingSystem, listOperatingSystems } from './queries.ts';
import { operatingSystemView } from './view.ts';

const params = PathParams({ id: 'operating_system' });

const tags = ['Operating systems'];

/** The dependencies of the routes of operating systems. */
export interface ImageServerDeps extends Deps {
  /** The image servers that are allowed. */
  imageServers: readonly string[];
}

export function operatingSystemRoutes(app: App, deps: ImageServerDeps): void {
  readRoutes(app, deps);
  changeRoutes(app, deps);
}

function readRoutes(app: App, { db }: Deps): void {
  app.get(
    '/operating-systems',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'operating_system_list',
        summary: 'List operating systems',
        description: 'Returns all operating systems, sorted by ID.',
        tags,
        querystring: OperatingSystemQuery,
        response: { 200: Type.Array(OperatingSystem) },
      },
    },
    async (request, reply) => {
      const page = readPage(request);
      return sendList(
        request,
        reply,
        page,
        listOperatingSystems(db, request.query),
        operatingSystemView,
      );
    },
  );

  app.get(
    '/operating-systems/:id',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'operating_system_view',
        summary: 'Get an operating system',
        description:
          'Returns an operating system, with the smallest size of a server that it needs.',
        tags,
        params,
        response: { 200: OperatingSystem },
      },
    },
    async (request) => {
      const id = request.params.id;
      const row = await findOperatingSystem(db, id);
      if (!row) throw operatingSystemNotFound(id);
      return operatingSystemView(row);
    },
  );
}

function changeRoutes(app: App, deps: ImageServerDeps): void {
  const config = { scope: 'admin', needsConfirmation: false } as const;

  app.post(
    '/operating-systems',
    {
      config: { ...config, problems: ['name_taken'] },
      schema: {
        operationId: 'operating_system_create',
        summary: 'Create an operating system',
        description:
          'Adds an operating system whose image comes from an image server. Its image is downloaded when a server first needs it; ' +
          '`POST /v1/operating-systems/{id}/images` downloads it in advance.',
        tags,
        body: OperatingSystemCreate,
        response: { 201: OperatingSystem },
      },
    },
    async (request, reply) => {
      const answer = await change(request, deps, async ({ trx }) => {
        const row = await createOperatingSystem(trx, request.body, deps.imageServers);
        const headers = { Location: apiPath(request, `/operating-systems/${row.id}`) };
        const target = { kind: 'operating_system', id: row.id } as const;
        return { status: 201, headers, body: operatingSystemView(row), target };
      });
      return sendAnswer(reply, answer);
    },
  );

  app.patch(
    '/operating-systems/:id',
    {
      config,
      schema: {
        operationId: 'operating_system_update',
        summary: 'Update an operating system',
        description:
          'Changes the minimum size of servers with an operating system, or whether new servers can be created with it.',
        tags,
        params,
        body: OperatingSystemUpdate,
        response: { 200: OperatingSystem },
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const answer = await change(request, deps, async ({ trx }) => {
        const row = await changeOperatingSystem(trx, id, request.body, deps.imageServers);
        const target = { kind: 'operating_system', id } as const;
        return { status: 200, body: operatingSystemView(row), target };
      });
      return sendAnswer(reply, answer);
    },
  );
}
