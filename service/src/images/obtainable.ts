import type { Queryable } from '../db/connection.ts';
import { isImageServerAllowed, notAnImageServer } from '../operating-systems/image-servers.ts';
import type { OperatingSystemRow } from '../operating-systems/queries.ts';
import { Problem } from '../problems/problem.ts';
import { hasImage } from './queries.ts';

/**
 * Throws `image_server_not_allowed` (409) if the image of an operating system would have to come from an image server
 * that is not allowed. An image that the location has can be used all the same.
 */
export async function requireObtainable(
  db: Queryable,
  { id, source }: Pick<OperatingSystemRow, 'id' | 'source'>,
  locationId: number,
  imageServers: readonly string[],
): Promise<void> {
  if (!('server' in source) || isImageServerAllowed(source.server, imageServers)) return;
  if (await hasImage(db, { osId: id, locationId })) return;
  throw new Problem('image_server_not_allowed', notAnImageServer(source.server));
}
