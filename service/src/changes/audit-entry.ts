import type { FastifyRequest } from 'fastify';
import { callerOf, personOf } from '../access/authentication.ts';
import { allows } from '../callers/scopes.ts';
import { addressOf } from '../lib/client-address.ts';

/** The fields of an audit entry that describe the request and its caller. */
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
