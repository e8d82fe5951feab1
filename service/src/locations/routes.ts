import { Location, LocationQuery } from '@berth/contract/locations';
import { IdParams } from '@berth/contract/values';
import { Type } from 'typebox';
import type { App, Deps } from '../http/app-types.ts';
import { answerPage, readPage } from '../http/pagination.ts';
import { pathId } from '../http/path-id.ts';
import { Problem } from '../problem.ts';
import { findLocation, listLocations } from './queries.ts';
import { locationView } from './view.ts';

const tags = ['Locations'];

export function locationRoutes(app: App, { db }: Deps): void {
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
      const rows = await listLocations(db, {
        enabled,
        afterId: page.after?.id ?? 0,
        limit: page.fetch,
      });
      return answerPage(request, reply, page, rows).map(locationView);
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
}

function locationNotFound(id: number | string): Problem {
  return new Problem('location_not_found', `No location has the id ${id}.`);
}
