import type { Accepted, OperationOutcome } from '@berth/contract/operations';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../callers/app-types.ts';
import { failureOf, hasEnded, outcomeOf } from '../operations/outcome.ts';
import type { OperationRow, WaitedOperation } from '../operations/queries.ts';
import type { OperationWaiter } from '../operations/waiter.ts';
import { problemBody } from '../problems/answers.ts';
import { Problem, type ProblemCode } from '../problems/problem.ts';
import { preferredWait, waitApplied } from '../requests/prefer.ts';
import { type Answer, type IdempotentAnswer, keepOutcome, sendAnswer } from './idempotency.ts';

/** The dependencies of routes whose requests can wait for the end of an operation. */
export interface WaitingDeps extends Deps {
  untilEnded: OperationWaiter;
}

/** A secret in an answer that may be valid although its operation failed, so that the error has it, too. */
export interface LastingSecret {
  /** The codes after which it is not valid. */
  unless: readonly ProblemCode[];
  /** A sentence for the error that says why it has the secret. */
  words: string;
}

/** A part of the description of routes that use `sendAccepted` or `sendOutcome`. */
export const waitHint =
  'With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the ' +
  'response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the ' +
  'response says what the operation is doing, and why if it is being retried.';

/** The response to a request that started an operation. */
export function accepted(
  message: string,
  operation: Pick<OperationRow, 'id' | 'status' | 'error'>,
): Answer<Accepted> {
  const body = { message, operation_id: operation.id, operation: outcomeOf(operation) };
  return { status: 202, headers: operationHeader(operation), body };
}

export function operationHeader({ id }: Pick<OperationRow, 'id'>) {
  return { 'Operation-Id': String(id) };
}

/**
 * Sends an answer of `accepted`. With `Prefer: wait=N` it has the result of the operation, or what
 * it is doing if there is none by then.
 */
export async function sendAccepted(
  deps: WaitingDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: IdempotentAnswer<Accepted>,
  lasting?: LastingSecret,
) {
  const { operation_id: id } = answer.body;
  // An answer that the previous release stored does not have it.
  answer.body.operation ??= { id, status: 'pending', error: null };
  return await sendOutcome(
    deps,
    request,
    reply,
    answer,
    async (operation) => accepted(operation.message, operation).body,
    lasting,
  );
}

/**
 * Answers a request for an operation. With `Prefer: wait=N` it first waits up to N seconds for the
 * end; `view` then makes the body. Throws the error of an operation that failed or was superseded,
 * which has the secret of the answer only if it is `lasting`. The result is stored under the
 * `Idempotency-Key`.
 */
export async function sendOutcome<B extends { operation: OperationOutcome }>(
  { db, untilEnded }: WaitingDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: IdempotentAnswer<B>,
  view: (operation: WaitedOperation) => Promise<B>,
  lasting?: LastingSecret,
) {
  const wait = preferredWait(request);
  const { id, status } = answer.body.operation;
  // A stored result is replayed as it was.
  if (wait === 0 || hasEnded(status)) return sendAnswer(reply, answer);
  const operation = await untilEnded(id, wait);
  waitApplied(reply, wait);
  if (!operation) return sendAnswer(reply, answer);
  const { headers } = answer;
  const failure = failureOf(operation);
  if (failure) {
    const keepsSecret =
      lasting !== undefined &&
      answer.secret !== undefined &&
      !lasting.unless.includes(failure.code);
    const problem = keepsSecret ? withWords(failure, lasting.words) : failure;
    reply.headers(headers);
    await keepOutcome(request, db, { ...keptProblem(problem, headers), keepsSecret });
    // Only now, because what is kept must not have it unencrypted.
    if (keepsSecret) Object.assign(problem.members, answer.secret);
    throw problem;
  }
  const outcome = { ...answer, body: await view(operation) };
  if (hasEnded(operation.status)) {
    await keepOutcome(request, db, { ...outcome, headers, keepsSecret: true });
  }
  return sendAnswer(reply, outcome);
}

const withWords = ({ code, message, members }: Problem, words: string) =>
  new Problem(code, `${message} ${words}`, { members });

function keptProblem(problem: Problem, headers: Record<string, string>) {
  // A replayed answer gets the id of its own request.
  const { request_id: _, ...body } = problemBody(problem, '');
  const { 'Operation-Id': operationId = '' } = headers;
  return { status: body.status, headers: { 'Operation-Id': operationId }, body };
}
