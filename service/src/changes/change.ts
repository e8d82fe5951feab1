import type { AuditAction } from '@berth/contract/actions';
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

/** The transaction and project of a request's change. Nothing takes effect until the commit. */
export interface Change {
  trx: Trx;
  /** The caller's project, within the transaction. Throws if there is none, as on public routes. */
  readonly project: Project;
}

/** The result of a change, and its target. */
export interface Outcome<B> extends Answer<B> {
  /** Null for the settings of the installation. */
  target: AuditTarget | null;
  /** The project whose history it belongs to, if the target does not determine it. */
  projectId?: number;
  /** The user who has authenticated with this request. */
  userId?: number;
  /** What was set or changed, for the audit log. Must not contain secrets. */
  details?: Details;
  /** For a change of several objects: each of them has an entry, in the place of one for the request. */
  parts?: readonly Part[];
}

/** What was done to one of several objects. */
interface Part {
  action: AuditAction;
  target: AuditTarget;
  details: Details;
}

/**
 * Makes a request's change in one transaction with its audit entries and the answer that is stored
 * under its `Idempotency-Key`. A replayed answer changes nothing, and is not entered again. Slow
 * work belongs in `prepare`, which runs before the transaction, and not for a change beyond the
 * limits. Throws the error that `keepOutcome` stored, and 429 if there are too many changes;
 * nothing has changed then.
 */
export async function change<B, P = undefined>(
  request: FastifyRequest,
  { db, secretKey, credentials }: Pick<Deps, 'db' | 'secretKey' | 'credentials'>,
  work: (change: Change, prepared: P) => Promise<Outcome<B>>,
  prepare?: () => Promise<P>,
): Promise<IdempotentAnswer<B>> {
  let decidesAccess = false;
  // The transaction may run twice, for one entry.
  let isCounted = false;
  const { limits } = request.server;
  const before = keysBefore(request);
  function requireChange(): void {
    if (before && !isCounted) limits.requireChange(before);
  }
  const prepareAllowed =
    prepare &&
    (async () => {
      requireChange();
      return await prepare();
    });
  async function enter(trx: Trx, prepared: P) {
    const place = {
      trx,
      get project() {
        return request.caller.project.in(trx);
      },
    };
    // Other changes may have used up the limits during the preparation.
    requireChange();
    const { target, projectId, userId, details, parts, ...made } = await work(place, prepared);
    const about = aboutRequest(request);
    const entryOf = (one: Pick<AuditEntry, 'target' | 'details'> | Part): AuditEntry => ({
      ...about,
      projectId: projectId ?? projectOf(one.target, request),
      userId: userId ?? about.userId,
      status: made.status,
      ...one,
    });
    const entries = parts ? parts.map(entryOf) : [entryOf({ target, details })];
    const isOfAccess = entries.some(isAboutAccess);
    const [first] = entries;
    if (first && !isCounted) {
      const keys = keysOf(request, first);
      const isWithdrawal = isOfAccess && request.method === 'DELETE';
      if (isWithdrawal) limits.countWithdrawal(keys);
      else limits.countChange(keys, entries.length);
      isCounted = true;
    }
    for (const entry of entries) await insertAuditEntry(trx, entry);
    decidesAccess = isOfAccess;
    return made;
  }
  try {
    const answer = await idempotently(request, db, secretKey, enter, prepareAllowed);
    markAudited(request);
    if (answer.status >= 400) throw replayProblem(answer);
    return answer;
  } finally {
    // This also applies if it is unknown whether the commit succeeded.
    if (decidesAccess) credentials.clear();
  }
}

/** The stored error of an earlier request, as the error of this one. */
function replayProblem({ body, headers, secret }: IdempotentAnswer<unknown>): Problem {
  const { code, detail, operation } = body as { code: ProblemCode } & ProblemBody;
  return new Problem(code, detail, { headers, members: { operation, ...secret } });
}

function isAboutAccess({ target }: AuditEntry): boolean {
  return target !== null && auditOf(target.kind).decidesAccess === true;
}

function projectOf(target: AuditTarget | null, request: FastifyRequest): number | null {
  if (!target) return null;
  const { kind, id } = target;
  const { in: history } = auditOf(kind);
  if (history === 'project') return request.caller.project.id;
  return history === 'itself' ? id : null;
}

/** Answers a request that changes nothing, on a route that can change something. */
export async function changesNothing<T>(request: FastifyRequest, work: Promise<T>): Promise<T> {
  const result = await work;
  markAudited(request);
  return result;
}
