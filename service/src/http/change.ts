import type { FastifyRequest } from 'fastify';
import { type AuditTarget, insertAuditEntry } from '../audit/queries.ts';
import type { Db, Trx } from '../db/connection.ts';
import type { Project } from '../db/project.ts';
import { aboutRequest, isAnsweredFor } from './audit.ts';
import { type Answer, type IdempotentAnswer, idempotently } from './idempotency.ts';

/** Where a request's change happens: nothing of it holds until the transaction commits. */
export interface Change {
  trx: Trx;
  /** The caller's, within the transaction. Throws where there is none, as on public routes. */
  readonly project: Project;
}

/** What a change came to, and what it was made to. */
export interface Outcome<B> extends Answer<B> {
  target: AuditTarget;
  /** Whose history it belongs to, where that isn't the caller's project. */
  projectId?: number;
  /** Who has proved to be somebody by this request. */
  userId?: number;
}

/**
 * Makes a request's change in one transaction with its audit entry, and with the answer under its
 * `Idempotency-Key`. An answer given again changes nothing, and is not entered again. What takes
 * long is left to `prepare`, which runs before the transaction.
 */
export async function change<B, P = undefined>(
  request: FastifyRequest,
  { db, secretKey }: { db: Db; secretKey: Buffer },
  work: (change: Change, prepared: P) => Promise<Outcome<B>>,
  prepare?: () => Promise<P>,
): Promise<IdempotentAnswer<B>> {
  async function enter(trx: Trx, prepared: P) {
    const place = {
      trx,
      get project() {
        return request.caller.project.in(trx);
      },
    };
    const { target, projectId, userId, ...made } = await work(place, prepared);
    const about = aboutRequest(request);
    await insertAuditEntry(trx, {
      ...about,
      projectId: projectId ?? about.projectId,
      userId: userId ?? about.userId,
      target,
      status: made.status,
    });
    return made;
  }
  const answer = await idempotently(request, db, secretKey, enter, prepare);
  isAnsweredFor(request);
  return answer;
}

/** For an answer that only looks, on a route that can change something. */
export async function changesNothing<T>(request: FastifyRequest, work: Promise<T>): Promise<T> {
  const result = await work;
  isAnsweredFor(request);
  return result;
}
