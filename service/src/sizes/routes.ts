import { PathParams } from '@berth/contract/references';
import { Size, SizeCreate, SizeQuery, SizeUpdate } from '@berth/contract/sizes';
import { Type } from 'typebox';
import { difference } from '../audit/details.ts';
import type { App, Deps } from '../callers/app-types.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { apiPath } from '../requests/api-path.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { findSize, listSizes, type ShownSize } from './queries.ts';
import { changeSize, createSize, deleteSize, sizeNotFound } from './sizes.ts';
import { sizeView } from './view.ts';

const params = PathParams({ id: 'size' });

const tags = ['Sizes'];

export function sizeRoutes(app: App, deps: Deps): void {
  readRoutes(app, deps);
  changeRoutes(app, deps);
}

function readRoutes(app: App, { db }: Deps): void {
  const config = { scope: 'servers:read' } as const;

  app.get(
    '/sizes',
    {
      config,
      schema: {
        operationId: 'size_list',
        summary: 'List sizes',
        description:
          'Returns the sizes that servers can be created with and resized to, and what they cost, sorted by ID. Those out of ' +
          'use are included, and are `deprecated`.',
        tags,
        querystring: SizeQuery,
        response: { 200: Type.Array(Size) },
      },
    },
    async (request, reply) => {
      const page = readPage(request);
      return sendList(request, reply, page, listSizes(db, request.query), sizeView);
    },
  );

  app.get(
    '/sizes/:id',
    {
      config,
      schema: {
        operationId: 'size_view',
        summary: 'Get a size',
        description: 'Returns a size, and what it costs.',
        tags,
        params,
        response: { 200: Size },
      },
    },
    async (request) => {
      const id = request.params.id;
      const row = await findSize(db, id);
      if (!row) throw sizeNotFound(id);
      return sizeView(row);
    },
  );
}

function changeRoutes(app: App, deps: Deps): void {
  const config = { scope: 'admin', needsConfirmation: false } as const;
  const one = { tags, params, response: { 200: Size } };
  const target = (id: number) => ({ kind: 'size', id }) as const;

  app.post(
    '/sizes',
    {
      config: { ...config, problems: ['name_taken'] },
      schema: {
        operationId: 'size_create',
        summary: 'Create a size',
        description:
          'Adds a size, which servers can get at once. `sizes_only` of a project requires its servers to have such sizes.',
        tags,
        body: SizeCreate,
        response: { 201: Size },
      },
    },
    async (request, reply) => {
      const answer = await change(request, deps, async ({ trx }) => {
        const row = await createSize(trx, request.body);
        const headers = { Location: apiPath(request, `/sizes/${row.id}`) };
        const body = sizeView(row);
        return { status: 201, headers, body, target: target(row.id), details: shown(row) };
      });
      return sendAnswer(reply, answer);
    },
  );

  app.patch(
    '/sizes/:id',
    {
      config: { ...config, problems: ['name_taken'] },
      schema: {
        ...one,
        operationId: 'size_update',
        summary: 'Update a size',
        description:
          'Changes a size: its name, its price, where servers can get it, or whether it is out of use. A price applies to all ' +
          'hours from now on, also to those of servers that have the size.',
        body: SizeUpdate,
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const answer = await change(request, deps, async ({ trx }) => {
        const { before, row } = await changeSize(trx, id, request.body);
        const details = difference(shown(before), shown(row));
        return { status: 200, body: sizeView(row), target: target(id), details };
      });
      return sendAnswer(reply, answer);
    },
  );

  app.delete(
    '/sizes/:id',
    {
      config: { ...config, problems: ['size_in_use'] },
      schema: {
        ...one,
        operationId: 'size_delete',
        summary: 'Delete a size',
        description:
          'Deletes a size. The request is refused with `size_in_use` while servers have the size, or are being resized to it; ' +
          'set `deprecated` then. Statements keep its hours and prices.',
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const answer = await change(request, deps, async ({ trx }) => {
        const row = await deleteSize(trx, id);
        return { status: 200, body: sizeView(row), target: target(id), details: shown(row) };
      });
      return sendAnswer(reply, answer);
    },
  );
}

/** What the audit log has of a size, in values that can be compared. */
function shown(row: ShownSize) {
  const { name, cpu, ram_mb: ram, disk_gb: disk, traffic_allowance, deprecated } = row;
  const { hourly: price_hourly, monthly: price_monthly, currency, location_ids } = row;
  const where = location_ids?.join(',') ?? null;
  return {
    ...{ name, cpu, ram, disk, traffic_allowance, deprecated },
    ...{ price_hourly, price_monthly, currency, location_ids: where },
  };
}
