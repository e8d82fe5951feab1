import { Location, LocationQuery, LocationUpdate } from '@berth/contract/locations';
import { IdParams } from '@berth/contract/values';
import { Type } from 'typebox';
import type { App, Deps } from '../http/app-types.ts';
import { change } from '../http/change.ts';
import { sendAnswer } from '../http/idempotency.ts';
import { type Page, readPage, sendList } from '../http/pagination.ts';
import { pathId } from '../http/path-id.ts';
import { changeLocation, locationNotFound } from './locations.ts';
import { findLocation, listLocations } from './queries.ts';
import { locationView } from './view.ts';

const tags = ['Locations'];

export function locationRoutes(app: App, deps: Deps): void {
  const { db } = deps;
  app.get(
    '/locations',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'location_list',
        summary: 'List locations',
        description: 'By id. What `location_id` refers to, and what a server there may have.',
        tags,
        querystring: LocationQuery,
        response: { 200: Type.Array(Location) },
      },
    },
    async (request, reply) => {
      const page = readPage(request.query);
      const { enabled } = request.query;
      const fetchPage = (after: Page['after'], limit: number) =>
        listLocations(db, { enabled, afterId: after?.id ?? 0, limit });
      return sendList(request, reply, page, fetchPage, locationView);
    },
  );

  app.get(
    '/locations/:id',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'location_view',
        summary: 'See a location',
        tags,
        params: IdParams,
        response: { 200: Location },
      },
    },
    async (request) => {
      const id = pathId(request.params.id, locationNotFound);
      const row = await findLocation(db, id);
      if (!row) throw locationNotFound(id);
      return locationView(row);
    },
  );

  app.patch(
    '/locations/:id',
    {
      config: { scope: 'admin', needsConfirmation: true },
      schema: {
        operationId: 'location_update',
        summary: 'Change what servers may have in a location',
        tags,
        params: IdParams,
        body: LocationUpdate,
        response: { 200: Location },
      },
    },
    async (request, reply) => {
      const id = pathId(request.params.id, locationNotFound);
      const answer = await change(request, deps, async ({ trx }) => {
        const row = await changeLocation(trx, id, request.body);
        const { allowed_destinations, smtp } = request.body;
        const details = {
          ...(allowed_destinations && { allowed_destinations: row.allowed_destinations }),
          ...(smtp && { smtp: row.smtp }),
        };
        const target = { kind: 'location', id } as const;
        return { status: 200, body: locationView(row), target, details };
      });
      return sendAnswer(reply, answer);
    },
  );
}
