import { Location, LocationQuery, LocationUpdate } from '@berth/contract/locations';
import { PathParams } from '@berth/contract/references';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App, Deps } from '../callers/app-types.ts';
import { allows } from '../callers/scopes.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { changeLocation, locationNotFound } from './locations.ts';
import { findShownLocation, listLocations } from './queries.ts';
import { locationView, locationViewFor } from './view.ts';

const params = PathParams({ id: 'location' });

const tags = ['Locations'];

const viewerOf = ({ caller }: FastifyRequest) => ({ isAdmin: allows(caller.scopes, 'admin') });

export function locationRoutes(app: App, deps: Deps): void {
  const { db } = deps;
  app.get(
    '/locations',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'location_list',
        summary: 'List locations',
        description: 'Returns all locations, sorted by ID.',
        tags,
        querystring: LocationQuery,
        response: { 200: Type.Array(Location) },
      },
    },
    async (request, reply) => {
      const page = readPage(request);
      const viewer = viewerOf(request);
      const locations = listLocations(db, request.query, viewer);
      return sendList(request, reply, page, locations, locationViewFor(viewer));
    },
  );

  app.get(
    '/locations/:id',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'location_view',
        summary: 'Get a location',
        description:
          'Returns a location, with the sizes that servers there can have and the state of its engine.',
        tags,
        params,
        response: { 200: Location },
      },
    },
    async (request) => {
      const id = request.params.id;
      const viewer = viewerOf(request);
      const row = await findShownLocation(db, id, viewer);
      if (!row) throw locationNotFound(id);
      return locationViewFor(viewer)(row);
    },
  );

  app.patch(
    '/locations/:id',
    {
      config: { scope: 'admin', needsConfirmation: true },
      schema: {
        operationId: 'location_update',
        summary: 'Update a location',
        description:
          'Changes a location: its description, the sizes of new servers, overcommit ratios, traffic policy and network rules.',
        tags,
        params,
        body: LocationUpdate,
        response: { 200: Location },
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const answer = await change(request, deps, async ({ trx }) => {
        const row = await changeLocation(trx, id, request.body);
        const { adopt_from, allowed_destinations, smtp } = request.body;
        const details = {
          ...(allowed_destinations && { allowed_destinations: row.allowed_destinations }),
          ...(smtp && { smtp: row.smtp }),
          ...(adopt_from && { adopt_from }),
        };
        const target = { kind: 'location', id } as const;
        return { status: 200, body: locationView(row), target, details };
      });
      return sendAnswer(reply, answer);
    },
  );
}
