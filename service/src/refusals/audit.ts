import type { FastifyInstance, FastifyRequest } from 'fastify';
import { callerOf, personOf, refusedTokenOf } from '../access/authentication.ts';
import { type AuditTarget, insertAuditEntry } from '../audit/entry-queries.ts';
import { actionOf } from '../changes/audit-entry.ts';
import { isAudited, refusedPartsOf, signInAttemptOf } from '../changes/audit-marks.ts';
import type { Db } from '../db/connection.ts';
import { background } from '../lib/background.ts';
import { isSafe } from '../lib/methods.ts';
import { codeOf } from '../problems/answers.ts';
import { problems } from '../problems/problem.ts';
import { aboutRefusal } from './about.ts';
import { countRefusals } from './counts.ts';
import { namedTarget } from './target.ts';

const flushMs = 5000;

/**
 * Ensures that every route that can change something writes the audit log. A success that `change`
 * did not enter becomes an error before it is sent. A refusal of a known caller is entered here, or
 * aggregated (`refusal-counts.ts`); this includes tokens that are no longer valid, and sign-in
 * attempts, and the objects for which a request was refused that succeeded for others.
 */
export function auditChanges(app: FastifyInstance, db: Db): void {
  const entering = background();
  const refusals = countRefusals((entry) => insertAuditEntry(db, entry));
  const flush = (all = false) =>
    entering.run(
      () => refusals.flush(all),
      (error) =>
        app.log.warn({ err: error }, 'Counted refusals could not be entered in the audit log.'),
    );
  const flushing = setInterval(flush, flushMs).unref();

  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode >= 400 || !changes(request) || isAudited(request)) return payload;
    throw new Error(`${actionOf(request)} has changed something without an audit entry.`);
  });

  app.addHook('onResponse', async (request, reply) => {
    const warn = (error: unknown) =>
      request.log.warn({ err: error }, 'A refusal could not be entered in the audit log.');
    if (refusedPartsOf(request).length > 0) entering.run(() => enterRefusedParts(request), warn);
    // An operation that failed after it was accepted has been entered already.
    if (reply.statusCode < 400 || isAudited(request) || !isToBeEntered(request)) return;
    entering.run(() => enterRefusal(request, reply.statusCode), warn);
  });

  async function enterRefusal(request: FastifyRequest, status: number): Promise<void> {
    const code = codeOf(request);
    const userId = signInAttemptOf(request);
    // A caller that failed to authenticate as this user may be somebody else, so the user is the target.
    const target: AuditTarget | null = userId ? { kind: 'user', id: userId } : namedTarget(request);
    const about = await aboutRefusal(request, db);
    if (about) await refusals.add({ ...about, target, status, code });
  }

  async function enterRefusedParts(request: FastifyRequest): Promise<void> {
    const about = await aboutRefusal(request, db);
    if (!about) return;
    const entries = refusedPartsOf(request).map((part) => {
      const [status] = problems[part.code];
      return { ...about, ...part, status };
    });
    // Each is counted at once, even if one cannot be written.
    await Promise.all(entries.map((entry) => refusals.add(entry)));
  }

  app.addHook('onClose', async () => {
    clearInterval(flushing);
    await entering.idle();
    flush(true);
    await entering.idle();
  });
}

function isToBeEntered(request: FastifyRequest): boolean {
  // Otherwise callers beyond a limit would cause a write for each request.
  if (codeOf(request) === 'rate_limited') return false;
  if (signInAttemptOf(request) !== undefined) return true;
  if (!changes(request)) return false;
  if (callerOf(request) !== undefined || personOf(request) !== undefined) return true;
  return refusedTokenOf(request) !== undefined;
}

function changes(request: FastifyRequest): boolean {
  return !isSafe(request.method);
}
