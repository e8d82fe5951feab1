import type { FastifyRequest } from 'fastify';
import { callerOf, personOf } from '../access/authentication.ts';
import { allows } from '../callers/scopes.ts';
import { addressOf } from '../lib/client-address.ts';

/** What an audit entry says of the request itself, and of who made it. */
export function aboutRequest(request: FastifyRequest) {
  const caller = callerOf(request);
  return {
    tokenId: caller?.tokenId ?? null,
    userId: caller?.userId ?? personOf(request)?.userId ?? null,
    source: 'api',
    byAdministrator: caller ? allows(caller.scopes, 'admin') : personOf(request)?.isAdmin === true,
    address: addressOf(request),
    action: actionOf(request),
    requestId: request.id,
  } as const;
}

/** The `operationId` of the route. */
export function actionOf({ routeOptions }: FastifyRequest): string {
  const { operationId } = (routeOptions.schema ?? {}) as { operationId?: string };
  return operationId ?? `${routeOptions.method} ${routeOptions.url}`;
}
