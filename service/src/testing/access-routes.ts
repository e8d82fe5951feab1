import assert from 'node:assert/strict';
import type { RouteOptions } from 'fastify';
import type { App, Scope } from '../callers/app-types.ts';
import type { AccessCase } from './access-cases.ts';
import { inject } from './inject.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** A route, and what it declares about who may use it. */
export interface AccessRoute {
  /** Its `operationId`. */
  name: string;
  method: Method;
  scope: Scope | 'public' | 'person';
}

/** Under both prefixes the same ones are served: the first is enough. */
export function accessRoutes(app: App): AccessRoute[] {
  const ours = app.knownRoutes
    .map(({ options }) => options)
    .filter(({ url }) => url.startsWith('/v1/') || url === '/metrics');
  return ours.filter(({ method }) => method !== 'HEAD').map(route);
}

function route({ method, schema, config }: RouteOptions): AccessRoute {
  const { operationId = '' } = (schema ?? {}) as { operationId?: string };
  return { name: operationId, method: method as Method, scope: config?.scope ?? 'public' };
}

export function requireCase(cases: Record<string, AccessCase>, name: string): AccessCase {
  const found = cases[name];
  assert.ok(found, `${name} has a line in access-cases.ts`);
  return found;
}

export async function askCase(
  app: App,
  { path: own, body, prefix }: AccessCase,
  { method, headers, path = own }: { method: Method; headers: object; path?: string | undefined },
) {
  return await inject(app, {
    method,
    url: (prefix ?? '/v1') + path,
    headers: { ...headers },
    ...(body && { payload: body }),
  });
}
