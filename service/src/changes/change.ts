import { auditOf } from '@berth/contract/nouns';
import type { Problem as ProblemBody } from '@berth/contract/problems';
import type { FastifyRequest } from 'fastify';
import type { Details } from '../audit/details.ts';
import { type AuditEntry, type AuditTarget, insertAuditEntry } from '../audit/entry-queries.ts';
import type { Deps } from '../callers/app-types.ts';
import type { Trx } from '../db/connection.ts';
import type { Project } from '../db/project.ts';
import { Problem, type ProblemCode } from '../problems/problem.ts';
import { aboutRequest } from './audit-entry.ts';
import { markAudited } from './audit-marks.ts';
import { type Answer, type IdempotentAnswer, idempotently } from './idempotency.ts';
import { keysBefore, keysOf } from './keys.ts';

/** Where a request's change happens: nothing of it holds until the transaction commits. */
export interface Change {
  trx: Trx;
  /** The caller's, within the transaction. Throws where there is none, as on public routes. */
  readonly project: Project;
}

/** What a change came to, and what it was made to. */
export interface Outcome<B> extends Answer<B> {
  /** Null for the settings of the installation. */
  target: AuditTarget | null;
  /** Whose history it belongs to, where the target does not tell. */
  projectId?: number;
  /** Who has proved to be somebody by this request. */
  userId?: number;
  /** What was given or changed, for the audit log: no secrets. */
  details?: Details;
}

/**
 * Makes a request's change in one transaction with its audit entry, and with the answer under its
 * `Idempotency-Key`. An answer given again changes nothing, and is not entered again. What takes
 * long is left to `prepare`, which runs before the transaction. Throws the problem that `keepOutcome` kept,
 * and 429 where no more changes may be entered for now: then all is as it was.
 */
export async function change<B, P = undefined>(
  request: FastifyRequest,
  { db, secretKey, credentials }: Pick<Deps, 'db' | 'secretKey' | 'credentials'>,
  work: (change: Change, prepared: P) => Promise<Outcome<B>>,
  prepare?: () => Promise<P>,
): Promise<IdempotentAnswer<B>> {
  let decidesAccess = false;
  async function enter(trx: Trx, prepared: P) {
    const place = {
      trx,
      get project() {
        return request.caller.project.in(trx);
      },
    };
    const { limits } = request.server;
    const before = keysBefore(request);
    if (before) limits.requireChange(before);
    const { target, projectId, userId, details, ...made } = await work(place, prepared);
    const about = aboutRequest(request);
    const entry: AuditEntry = {
      ...about,
      projectId: projectId ?? projectOf(target, request),
      userId: userId ?? about.userId,
      target,
      status: made.status,
      details,
    };
    const isOfAccess = target !== null && auditOf(target.kind).decidesAccess === true;
    if (isOfAccess && request.method === 'DELETE') limits.countWithdrawal(keysOf(request, entry));
    else limits.countChange(keysOf(request, entry));
    await insertAuditEntry(trx, entry);
    decidesAccess = isOfAccess;
    return made;
  }
  try {
    const answer = await idempotently(request, db, secretKey, enter, prepare);
    markAudited(request);
    if (answer.status >= 400) throw problemAgain(answer);
    return answer;
  } finally {
    // Also when nobody knows whether the commit took place.
    if (decidesAccess) credentials.clear();
  }
}

/** The problem that the request was answered with before, as that of this request. */
function problemAgain({ body, headers }: IdempotentAnswer<unknown>): Problem {
  const { code, detail, operation } = body as { code: ProblemCode } & ProblemBody;
  return new Problem(code, detail, { headers, members: { operation } });
}

function projectOf(target: AuditTarget | null, request: FastifyRequest): number | null {
  if (!target) return null;
  const { kind, id } = target;
  const { in: history } = auditOf(kind);
  if (history === 'project') return request.caller.project.id;
  return history === 'itself' ? id : null;
}

/** For an answer that only looks, on a route that can change something. */
export async function changesNothing<T>(request: FastifyRequest, work: Promise<T>): Promise<T> {
  const result = await work;
  markAudited(request);
  return result;
}
