import type { DriftQuery } from '@berth/contract/drift';
import { type GeneratedAlways, type JSONColumnType, type Selectable, sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import { beginsWith, hasAnyOf, isWithin } from '../db/filters.ts';
import { type Listing, listing } from '../db/listing.ts';
import type { Timestamp } from '../db/schema/timestamp-schema.ts';
import type { InstanceFacts } from '../servers/engine/facts.ts';
import { columnsOf, type SeenDifference } from './sightings.ts';

export type DriftKind = 'changed' | 'missing_instance' | 'unknown_instance' | 'foreign_instance';

interface DriftTable {
  id: GeneratedAlways<number>;
  location_id: number;
  kind: DriftKind;
  /** The name of an instance in Incus; of a server, the one that it should have. */
  instance: string;
  /** Null for that of the location. */
  incus_project: string | null;
  node_id: number | null;
  /** Null for an unknown or a foreign instance. */
  server_id: number | null;
  differences: JSONColumnType<SeenDifference[], string, string>;
  /** Null but for an unknown or a foreign instance. */
  facts: JSONColumnType<InstanceFacts, string, string> | null;
  /** When the first of those that are shown was first seen. */
  since: Timestamp;
  /** Whether two sweeps in a row have seen one. The API shows no others. */
  is_confirmed: boolean;
  /** Whether all that are confirmed were accepted. */
  is_forgotten: boolean;
}

declare module '../db/schema/schema.ts' {
  interface Database {
    drift: DriftTable;
  }
}

export type DriftRow = Selectable<DriftTable>;

function shownDrift(db: Queryable) {
  return db
    .selectFrom('drift')
    .innerJoin('locations', 'locations.id', 'drift.location_id')
    .leftJoin('nodes', 'nodes.id', 'drift.node_id')
    .leftJoin('servers', 'servers.id', 'drift.server_id')
    .selectAll('drift')
    .select(['locations.name as location', 'nodes.name as node', 'servers.project_id'])
    .where('drift.is_confirmed', '=', true);
}

export type ShownDrift = NonNullable<Awaited<ReturnType<typeof findDrift>>>;

type Filters = Pick<DriftQuery, 'q' | 'kind' | 'location_id' | 'server_id' | 'from' | 'to'>;

/**
 * Drift of all projects, ordered by id: either what is forgotten, or what is not. Foreign instances are no drift, and are
 * listed only if the filter has their kind.
 */
export function listDrift(
  db: Queryable,
  { forgotten = false, ...filters }: Filters & { forgotten?: boolean | undefined },
): Listing<ShownDrift> {
  const all = shownDrift(db);
  const ofKinds = filters.kind ? all : all.where('drift.kind', '<>', 'foreign_instance');
  const query = ofKinds
    .where('drift.is_forgotten', '=', forgotten)
    .where(
      hasAnyOf({
        'drift.kind': filters.kind,
        'drift.location_id': filters.location_id,
        'drift.server_id': filters.server_id,
      }),
    )
    .where(beginsWith(['drift.instance'], filters.q))
    .where(isWithin('drift.since', filters));
  return listing(query, { id: 'drift.id' });
}

export async function findDrift(db: Queryable, id: number) {
  return await shownDrift(db).where('drift.id', '=', id).executeTakeFirst();
}

/** The differences of one, locked until the transaction ends. */
export async function lockDifferences(trx: Trx, id: number): Promise<SeenDifference[] | undefined> {
  const query = trx.selectFrom('drift').select('differences').where('id', '=', id);
  const row = await query.where('is_confirmed', '=', true).forUpdate().executeTakeFirst();
  return row?.differences;
}

export async function setDifferences(
  trx: Trx,
  id: number,
  differences: SeenDifference[],
): Promise<void> {
  await trx.updateTable('drift').set(columnsOf(differences)).where('id', '=', id).execute();
}

export async function endDrift(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('drift').where('id', '=', id).execute();
}

/**
 * Frees a MAC address for a server that is made of an instance. A deleted server gives it up. Returns the server that
 * still has it, if there is one.
 */
export async function freeMac(trx: Trx, mac: string): Promise<number | undefined> {
  await trx
    .updateTable('servers')
    .set({ mac: sql<string>`mac || '#' || id` })
    .where('mac', '=', mac)
    .where('deleted_at', 'is not', null)
    .execute();
  const query = trx.selectFrom('servers').select('id').where('mac', '=', mac);
  return (await query.executeTakeFirst())?.id;
}
