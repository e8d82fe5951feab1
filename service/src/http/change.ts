import type { FastifyRequest } from 'fastify';
import { type AuditTarget, insertAuditEntry } from '../audit/queries.ts';
import type { Trx } from '../db/connection.ts';
import type { Project } from '../db/project.ts';
import type { Deps } from './app-types.ts';
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

/** Whether a change to such a thing may decide whose token or session holds, and for what. */
const mayEndCredentials: Record<AuditTarget['kind'], boolean> = {
  token: true,
  user: true,
  project: true,
  server: false,
  location: false,
  operating_system: false,
  address_pool: false,
};

/**
 * Makes a request's change in one transaction with its audit entry, and with the answer under its
 * `Idempotency-Key`. An answer given again changes nothing, and is not entered again.
 */
export async function change<B>(
  request: FastifyRequest,
  { db, secretKey, credentials }: Pick<Deps, 'db' | 'secretKey' | 'credentials'>,
  work: (change: Change) => Promise<Outcome<B>>,
): Promise<IdempotentAnswer<B>> {
  let endsCredentials = false;
  const run = async (trx: Trx) => {
    const { target, projectId, userId, ...made } = await work({
      trx,
      get project() {
        return request.caller.project.in(trx);
      },
    });
    const about = aboutRequest(request);
    await insertAuditEntry(trx, {
      ...about,
      projectId: projectId ?? about.projectId,
      userId: userId ?? about.userId,
      target,
      status: made.status,
    });
    endsCredentials = mayEndCredentials[target.kind];
    return made;
  };
  try {
    const answer = await idempotently(request, db, secretKey, run);
    isAnsweredFor(request);
    return answer;
  } finally {
    // Also when nobody knows whether the commit took place.
    if (endsCredentials) credentials.clear();
  }
}

/** For an answer that only looks, on a route that can change something. */
export async function changesNothing<T>(request: FastifyRequest, work: Promise<T>): Promise<T> {
  const result = await work;
  isAnsweredFor(request);
  return result;
}
