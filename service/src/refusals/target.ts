import { auditedAs } from '@berth/contract/nouns';
import type { FastifyRequest } from 'fastify';
import type { AuditTarget } from '../audit/entry-queries.ts';
import { readId } from '../requests/path-id.ts';
import { placesOf } from '../requests/reference-places.ts';

/**
 * The last object in the path of a request, even if it does not exist. Null if entries have no such target.
 */
export function namedTarget({ routeOptions, params }: FastifyRequest): AuditTarget | null {
  const place = placesOf(routeOptions.schema).findLast(({ part }) => part === 'params');
  if (!place || !('noun' in place)) return null;
  const kind = auditedAs(place.noun);
  const id = readId(String((params as Record<string, unknown>)[place.field]));
  return kind && id !== undefined ? { kind, id } : null;
}
