import type { AuditTargetKind } from '@berth/contract/audit';
import type { FastifyRequest } from 'fastify';
import { readId } from '../requests/path-id.ts';

/** By the part of a path that comes before an id; null: the audit log has no such kind. */
const kinds: Record<string, AuditTargetKind | null> = {
  servers: 'server',
  projects: 'project',
  tokens: 'token',
  users: 'user',
  members: 'user',
  locations: 'location',
  'operating-systems': 'operating_system',
  'address-pools': 'address_pool',
  // Named by their names, which are no ids.
  nodes: null,
  passkeys: null,
};

/** The last id of a route, and what it is of: `['members', 'user_id']`. */
function lastId(url = ''): [collection: string, parameter: string] | undefined {
  const [last] = [...url.matchAll(/([a-z-]+)\/:((?:\w+_)?id)\b/g)].slice(-1);
  return last && [last[1] ?? '', last[2] ?? ''];
}

/** Whether what the path of a route names has a kind here, or is known to have none. */
export function hasKnownTarget(url: string): boolean {
  const [collection] = lastId(url) ?? [];
  return collection === undefined || collection in kinds;
}

/** What the path of a request names, whether there is one or not. */
export function namedTarget({
  routeOptions,
  params,
}: FastifyRequest): { kind: AuditTargetKind; id: number } | null {
  const [collection = '', parameter = ''] = lastId(routeOptions.url) ?? [];
  const kind = kinds[collection];
  const text = String((params as Record<string, unknown> | undefined)?.[parameter] ?? '');
  const id = readId(text);
  return kind && id !== undefined ? { kind, id } : null;
}
