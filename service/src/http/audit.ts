import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type AuditEntry, insertAuditEntry } from '../audit/queries.ts';
import type { Db } from '../db/connection.ts';
import { callerOf } from './authentication.ts';
import { addressOf } from './client-address.ts';
import { codeOf } from './problems.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);
const answeredFor = new WeakSet<FastifyRequest>();

/** Notes that a request's change is in the audit log, or that it made none. */
export function isAnsweredFor(request: FastifyRequest): void {
  answeredFor.add(request);
}

/** What an audit entry says of the request itself. */
export function aboutRequest(request: FastifyRequest): Omit<AuditEntry, 'status' | 'target'> {
  const caller = callerOf(request);
  return {
    projectId: caller?.project.id ?? null,
    tokenId: caller?.tokenId ?? null,
    address: addressOf(request),
    action: actionOf(request),
    requestId: request.id,
  };
}

function actionOf({ routeOptions }: FastifyRequest): string {
  const { operationId } = (routeOptions.schema ?? {}) as { operationId?: string };
  return operationId ?? `${routeOptions.method} ${routeOptions.url}`;
}

/**
 * Has every route that can change something write the audit log: a success that `change` did not
 * enter becomes an error before it is sent, and a refusal of somebody who is known is entered here.
 */
export function auditChanges(app: FastifyInstance, db: Db): void {
  const entering = new Set<Promise<void>>();

  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode >= 400 || !changes(request) || answeredFor.has(request)) return payload;
    throw new Error(`${actionOf(request)} has changed something without an audit entry.`);
  });

  app.addHook('onResponse', async (request, reply) => {
    if (reply.statusCode < 400 || !changes(request) || !callerOf(request)) return;
    const entry = enterRefusal(request, reply.statusCode);
    entering.add(entry);
    entry.finally(() => entering.delete(entry));
  });

  async function enterRefusal(request: FastifyRequest, status: number): Promise<void> {
    const code = codeOf(request);
    try {
      await insertAuditEntry(db, { ...aboutRequest(request), target: null, status, code });
    } catch (error) {
      request.log.warn({ err: error }, 'A refusal could not be entered in the audit log.');
    }
  }

  app.addHook('onClose', async () => {
    await Promise.all(entering);
  });
}

function changes(request: FastifyRequest): boolean {
  return !request.is404 && !safeMethods.has(request.method);
}
