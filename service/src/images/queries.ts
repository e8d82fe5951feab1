import { type Selectable, sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import { hasAnyOf } from '../db/filters.ts';
import { listing } from '../db/listing.ts';
import { notify } from '../db/notifications.ts';
import type { Database, ImageStatus } from '../db/schema/schema.ts';

export type ImageRow = Selectable<Database['images']>;

/** The images of an operating system by location, including those in progress. */
export function listImages(
  db: Queryable,
  osId: number,
  { location_id }: { location_id?: number[] | undefined },
) {
  const query = db.selectFrom('images').selectAll().select('location_id as id');
  const ofSystem = query.where('os_id', '=', osId).where(hasAnyOf({ location_id }));
  return listing(ofSystem, { id: 'location_id' });
}

export const imageIsReady = {
  status: 'ready' as const,
  progress: 100,
  message: 'Servers can be created with it.',
};

/** Whether a location has an image, as far as is known. */
export async function hasImage(
  db: Queryable,
  { osId, locationId }: { osId: number; locationId: number },
): Promise<boolean> {
  const row = await db
    .selectFrom('images')
    .select('status')
    .where('os_id', '=', osId)
    .where('location_id', '=', locationId)
    .executeTakeFirst();
  return row?.status === 'ready';
}

/** Records that a location has an image. An import in progress is not affected. */
export async function recordImage(
  db: Queryable,
  { osId, locationId }: { osId: number; locationId: number },
): Promise<void> {
  // The insert would lock the row even if it changes nothing, and creates would wait for each other.
  if (await hasImage(db, { osId, locationId })) return;
  await db
    .insertInto('images')
    .values({ os_id: osId, location_id: locationId, ...imageIsReady })
    .onConflict((conflict) =>
      conflict
        .columns(['os_id', 'location_id'])
        .doUpdateSet(imageIsReady)
        .where('images.status', '=', 'failed'),
    )
    .execute();
}

/** Requests an image. An import in progress is not affected. */
export async function requestImage(trx: Trx, osId: number, locationId: number): Promise<ImageRow> {
  const wanted = { status: 'wanted' as const, progress: 0, message: 'Queued.' };
  await trx
    .insertInto('images')
    .values({ os_id: osId, location_id: locationId, ...wanted })
    .onConflict((conflict) =>
      conflict
        .columns(['os_id', 'location_id'])
        .doUpdateSet({ ...wanted, requested_at: sql<string>`now()` })
        .where('images.status', 'in', ['ready', 'failed']),
    )
    .execute();
  await notify(trx, 'image_wanted', { id: locationId });
  return await trx
    .selectFrom('images')
    .selectAll()
    .where('os_id', '=', osId)
    .where('location_id', '=', locationId)
    .executeTakeFirstOrThrow();
}

/** The next image to import into a location, including one that a killed service was importing. */
export async function nextRequestedImage(db: Queryable, locationId: number) {
  return await db
    .selectFrom('images')
    .innerJoin('operating_systems as os', 'os.id', 'images.os_id')
    .select(['images.os_id as osId', 'os.slug', 'os.name', 'os.type', 'os.source'])
    .where('images.location_id', '=', locationId)
    .where('images.status', 'in', ['wanted', 'importing'])
    .orderBy('images.requested_at')
    .executeTakeFirst();
}

export async function setImage(
  db: Queryable,
  image: { osId: number; locationId: number },
  state: { status: ImageStatus; progress?: number; message: string },
): Promise<void> {
  await db
    .updateTable('images')
    .set(state)
    .where('os_id', '=', image.osId)
    .where('location_id', '=', image.locationId)
    .execute();
}

/** The slugs of the operating systems for containers whose images a location has. */
export async function readyImages(db: Queryable, locationId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('images')
    .innerJoin('operating_systems as os', 'os.id', 'images.os_id')
    .select('os.slug')
    .where('images.location_id', '=', locationId)
    .where('images.status', '=', 'ready')
    .where('os.type', '=', 'container')
    .orderBy('images.requested_at')
    .execute();
  return rows.map(({ slug }) => slug);
}

/** The nodes of a location on which servers may be created now; none if it is disabled. */
export async function nodesForImages(db: Queryable, locationId: number) {
  return await db
    .selectFrom('nodes')
    .innerJoin('locations', 'locations.id', 'nodes.location_id')
    .select(['nodes.id', 'nodes.member'])
    .where('nodes.location_id', '=', locationId)
    .where('locations.enabled', '=', true)
    .where('nodes.status', '=', 'online')
    .where('nodes.gone', '=', false)
    .where('nodes.lost', '=', false)
    .where('nodes.evacuated', '=', false)
    .where('nodes.cordoned', '=', false)
    .orderBy('nodes.id')
    .execute();
}
