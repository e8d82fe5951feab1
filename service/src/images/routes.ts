import { Image, ImageImport, ImageQuery } from '@berth/contract/images';
import { PathParams } from '@berth/contract/references';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { unknownLocation } from '../locations/locations.ts';
import { findLocation } from '../locations/queries.ts';
import { operatingSystemNotFound } from '../operating-systems/operating-systems.ts';
import { findOperatingSystem } from '../operating-systems/queries.ts';
import type { ImageServerDeps } from '../operating-systems/routes.ts';
import { invalidFields } from '../problems/problem.ts';
import { apiPath } from '../requests/api-path.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { requireObtainable } from './obtainable.ts';
import { type ImageRow, listImages, requestImage } from './queries.ts';

const params = PathParams({ id: 'operating_system' });

const tags = ['Operating systems'];

export function imageRoutes(app: App, deps: ImageServerDeps): void {
  const { db } = deps;

  app.get(
    '/operating-systems/:id/images',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'image_list',
        summary: 'List the images of an operating system',
        description:
          'Returns the image of an operating system at each location that has it or that it is being imported to.',
        tags,
        params,
        querystring: ImageQuery,
        response: { 200: Type.Array(Image) },
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const page = readPage(request);
      if (!(await findOperatingSystem(db, id))) throw operatingSystemNotFound(id);
      return sendList(request, reply, page, listImages(db, id, request.query), imageView);
    },
  );

  app.post(
    '/operating-systems/:id/images',
    {
      config: {
        scope: 'admin',
        needsConfirmation: false,
        problems: ['image_server_not_allowed'],
      },
      schema: {
        operationId: 'image_import',
        summary: 'Import an image to a location',
        description:
          'Downloads or builds the image of an operating system at a location in advance, so that the first server does not ' +
          'have to wait for it. The import is not an operation: the response is the image, without `operation`, and ' +
          '`Prefer: wait` has no effect. To follow the import, poll the path in the header `Location`, which lists just ' +
          'this image, until its `status` is `ready` or `failed`.',
        tags,
        params,
        body: ImageImport,
        response: { 202: Image },
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const { location_id: locationId } = request.body;
      const answer = await change(request, deps, async ({ trx }) => {
        const os = await findOperatingSystem(trx, id);
        if (!os) throw operatingSystemNotFound(id);
        if (!(await findLocation(trx, locationId))) {
          throw invalidFields([unknownLocation(locationId)]);
        }
        await requireObtainable(trx, os, locationId, deps.imageServers);
        const row = await requestImage(trx, id, locationId);
        const path = `/operating-systems/${id}/images?location_id=${locationId}`;
        return {
          status: 202,
          headers: { Location: apiPath(request, path) },
          body: imageView(row),
          target: { kind: 'operating_system', id },
        };
      });
      return sendAnswer(reply, answer);
    },
  );
}

function imageView(row: ImageRow): Image {
  const { os_id, location_id, status, progress, message, requested_at } = row;
  return { os_id, location_id, status, progress, message, requested_at };
}
