import {
  AddressPool,
  AddressPoolCreate,
  AddressPoolQuery,
  AddressPoolUpdate,
} from '@berth/contract/address-pools';
import { PathParams } from '@berth/contract/references';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { apiPath } from '../requests/api-path.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { findPool, listPools } from './pool-queries.ts';
import { changePool, createPool, poolNotFound, removePool } from './pools.ts';

const params = PathParams({ id: 'address_pool' });

const tags = ['Address pools'];
const config = { scope: 'admin', needsConfirmation: false } as const;

export function addressPoolRoutes(app: App, deps: Deps): void {
  readRoutes(app, deps);
  changeRoutes(app, deps);
}

function readRoutes(app: App, { db }: Deps): void {
  app.get(
    '/address-pools',
    {
      config,
      schema: {
        operationId: 'address_pool_list',
        summary: 'List address pools',
        description: 'Returns the address pools of all locations, sorted by ID.',
        tags,
        querystring: AddressPoolQuery,
        response: { 200: Type.Array(AddressPool) },
      },
    },
    async (request, reply) => {
      const page = readPage(request);
      return sendList(request, reply, page, listPools(db, request.query), (pool) => pool);
    },
  );

  app.get(
    '/address-pools/:id',
    {
      config,
      schema: {
        operationId: 'address_pool_view',
        summary: 'Get an address pool',
        description: 'Returns an address pool, with the number of its addresses that are assigned.',
        tags,
        params,
        response: { 200: AddressPool },
      },
    },
    async (request) => {
      const id = request.params.id;
      const row = await findPool(db, id);
      if (!row) throw poolNotFound(id);
      return row;
    },
  );
}

function changeRoutes(app: App, deps: Deps): void {
  const one = { tags, params, response: { 200: AddressPool } };
  const target = (id: number) => ({ kind: 'address_pool', id }) as const;

  app.post(
    '/address-pools',
    {
      config: { ...config, problems: ['address_pool_overlaps'] },
      schema: {
        operationId: 'address_pool_create',
        summary: 'Create an address pool',
        description:
          'Adds an address pool to a location. New servers get one address of each IP version for which the location has an ' +
          'enabled pool.',
        tags,
        body: AddressPoolCreate,
        response: { 201: AddressPool },
      },
    },
    async (request, reply) => {
      const answer = await change(request, deps, async ({ trx }) => {
        const body = await createPool(trx, request.body);
        const headers = { Location: apiPath(request, `/address-pools/${body.id}`) };
        return { status: 201, headers, body, target: target(body.id) };
      });
      return sendAnswer(reply, answer);
    },
  );

  app.patch(
    '/address-pools/:id',
    {
      config,
      schema: {
        ...one,
        operationId: 'address_pool_update',
        summary: 'Update an address pool',
        description:
          'Enables or disables an address pool. A disabled pool drains: servers keep the addresses that they have, and new servers ' +
          'get none of it.',
        body: AddressPoolUpdate,
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const answer = await change(request, deps, async ({ trx }) => {
        const body = await changePool(trx, id, request.body);
        return { status: 200, body, target: target(id) };
      });
      return sendAnswer(reply, answer);
    },
  );

  app.delete(
    '/address-pools/:id',
    {
      config: { ...config, problems: ['address_pool_in_use'] },
      schema: {
        ...one,
        operationId: 'address_pool_delete',
        summary: 'Delete an address pool',
        description:
          'Deletes an address pool. The request is refused with `address_pool_in_use` while servers have addresses of the pool.',
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const answer = await change(request, deps, async ({ trx }) => {
        return { status: 200, body: await removePool(trx, id), target: target(id) };
      });
      return sendAnswer(reply, answer);
    },
  );
}
