import type { AuditTargetKind } from '@berth/contract/audit';
import type { FastifyRequest, RouteOptions } from 'fastify';

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
  const [last] = [...url.matchAll(/([a-z-]+)\/:(\w+)/g)].slice(-1);
  return last && [last[1] ?? '', last[2] ?? ''];
}

/** Throws for a route whose path names what this table doesn't know. */
export function requireTargetKind({ url, method }: Pick<RouteOptions, 'url' | 'method'>): void {
  const [collection] = lastId(url) ?? [];
  if (collection === undefined || collection in kinds) return;
  throw new Error(
    `${method} ${url}: say in route-target.ts what /${collection}/ is to the audit log.`,
  );
}

/** What the path of a request names, whether there is one or not. */
export function namedTarget({
  routeOptions,
  params,
}: FastifyRequest): { kind: AuditTargetKind; id: number } | null {
  const [collection = '', parameter = ''] = lastId(routeOptions.url) ?? [];
  const kind = kinds[collection];
  const text = (params as Record<string, string> | undefined)?.[parameter] ?? '';
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  return kind && Number.isSafeInteger(id) ? { kind, id } : null;
}
