import type { FastifySchema, RouteOptions } from 'fastify';
import type { App, Scope } from '../callers/app-types.ts';
import type { AccessCase } from './access-cases.ts';
import { inject } from './inject.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** A route with its declared authorization. */
export interface AccessRoute {
  /** The `operationId`. */
  name: string;
  method: Method;
  scope: Scope | 'public' | 'person';
  needsConfirmation: boolean | undefined;
  prefix: '/v1' | '';
  /** Without the prefix: `/servers/:id`. */
  url: string;
  schema: FastifySchema;
}

/** Both prefixes serve the same routes, so the first one is sufficient. */
export function accessRoutes(app: App): AccessRoute[] {
  const ours = app.knownRoutes
    .map(({ options }) => options)
    .filter(({ url }) => url.startsWith('/v1/') || url === '/metrics');
  return ours.filter(({ method }) => method !== 'HEAD').map(route);
}

function route({ method, url, schema = {}, config }: RouteOptions): AccessRoute {
  const { operationId = '' } = schema as { operationId?: string };
  const prefix = url.startsWith('/v1/') ? '/v1' : '';
  const { scope = 'public', needsConfirmation } = config ?? {};
  const about = { name: operationId, method: method as Method, scope, needsConfirmation };
  return { ...about, prefix, url: url.slice(prefix.length), schema };
}

export function requireCase(cases: Record<string, AccessCase>, name: string): AccessCase {
  const found = cases[name];
  if (!found) throw new Error(`There is no route ${name}.`);
  return found;
}

export async function askCase(
  app: App,
  { path: own, body, prefix }: AccessCase,
  { method, headers, path = own }: { method: Method; headers: object; path?: string | undefined },
) {
  return await inject(app, {
    method,
    url: prefix + path,
    headers: { ...headers },
    ...(body && { payload: body }),
  });
}
