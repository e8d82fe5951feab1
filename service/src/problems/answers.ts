import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DatabaseTrouble, databaseTrouble } from '../db/errors.ts';
import { QueueTooLong } from '../db/queue/fair-queue.ts';
import { readTimeoutMs } from '../db/queue/turns.ts';
import { isSafe } from '../lib/methods.ts';
import { Problem, type ProblemCode, problems } from './problem.ts';

const mediaType = 'application/problem+json; charset=utf-8';

/** The errors of Fastify, by their status, as problems. */
const byStatus: Record<number, (message: string) => Problem> = {
  400: (message) => new Problem('malformed_request', `The request cannot be read: ${message}`),
  404: () => nothingAtPath(),
  408: () => new Problem('malformed_request', 'The request was not received in time.'),
  413: () => new Problem('body_too_large', 'The body is larger than the maximum of 256 KiB.'),
  // A part of the path is longer than any existing one.
  414: () => nothingAtPath(),
  415: () => unsupportedMediaType(),
};

export function nothingAtPath(): Problem {
  return new Problem('not_found', 'There is nothing at this path. The reference is at /docs.');
}

function unreadablePath(): Problem {
  const detail =
    'The path contains a percent sign that is not part of a valid UTF-8 escape sequence.';
  return new Problem('malformed_request', detail);
}

const takenTypes =
  'Send the body as application/json, application/x-www-form-urlencoded or ' +
  'multipart/form-data, in UTF-8 and not compressed.';

export function unsupportedMediaType(detail = takenTypes): Problem {
  return new Problem('unsupported_media_type', detail);
}

/** Converts any error to a problem for the client. Internals stay in the log. */
function toProblem(error: unknown, method: string): Problem {
  if (error instanceof Problem) return error;
  const trouble = databaseTrouble(error);
  if (trouble) return whileInTrouble(trouble, error, method);
  if (isFastifyError(error) && error.code === 'FST_ERR_BAD_URL') return unreadablePath();
  const known = isFastifyError(error) ? byStatus[error.statusCode] : undefined;
  if (known) return known((error as Error).message);
  const detail = 'The service has a fault. Report the request ID to the operator.';
  return new Problem('internal_error', detail, { cause: error });
}

/** The text for a client, who can only retry; operators see the cause. */
function whileInTrouble(trouble: DatabaseTrouble, cause: unknown, method: string): Problem {
  const { ofReads = 'unavailable', detail, detailOfReads = detail, retryAfter } = troubles[trouble];
  const [code, words] = isSafe(method)
    ? [ofReads, detailOfReads]
    : ['unavailable' as const, detail];
  return new Problem(code, words, { retryAfter, cause });
}

interface Trouble {
  /**
   * The error for reads. By default it is `unavailable`, which says that a change may have been
   * made in part.
   */
  ofReads?: ProblemCode;
  detail: string;
  /** The text for reads, if it differs. */
  detailOfReads?: string;
  /** Seconds after which a client may try again. */
  retryAfter: number;
}

const freeSpace = 'Its operator has to free disk space there. Send the request again after that.';

const troubles: Record<DatabaseTrouble, Trouble> = {
  away: {
    detail: 'The service cannot reach its database at the moment. Try again.',
    retryAfter: 2,
  },
  busy: { detail: 'The service has too much to do at the moment. Try again.', retryAfter: 2 },
  full: {
    detail: `The disk of the database is full, so nothing can be changed. ${freeSpace}`,
    detailOfReads: `The disk of the database is full, so this cannot be read. ${freeSpace}`,
    retryAfter: 10,
  },
  'own-share': {
    ofReads: 'rate_limited',
    detail:
      'Your project or user has too many requests in progress. Send fewer at the same time, ' +
      'and try again.',
    retryAfter: 2,
  },
  'read-only': {
    detail: 'The database is read-only at the moment, so nothing can be changed. Try again.',
    retryAfter: 5,
  },
  slow: {
    ofReads: 'query_timeout',
    detail:
      `Reading this took longer than the ${readTimeoutMs / 1000} seconds that it may take. ` +
      'Ask for less: a page with a small limit, ' +
      'a shorter period, fewer filters at once, or without count=exact.',
    retryAfter: 10,
  },
};

function isFastifyError(error: unknown): error is Error & { statusCode: number; code: string } {
  if (!(error instanceof Error && 'code' in error && 'statusCode' in error)) return false;
  return typeof error.code === 'string' && error.code.startsWith('FST_');
}

/** The one error handler. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  if (error !== undefined && error === request.raw.errored) return answerNobody(request, reply);
  const problem = toProblem(error, request.method);
  const [status] = problems[problem.code];
  if (status >= 500) logFailure(error, request);
  return sendProblem(problem, request, reply);
}

function logFailure(error: unknown, request: FastifyRequest): void {
  // The service refused it because it is busy: nothing has failed, and a crowd must not fill the log.
  const isRefusal = error instanceof Problem && error.cause === undefined;
  if (error instanceof Error && (isRefusal || error instanceof QueueTooLong)) {
    request.log.info({ detail: error.message }, 'A request was refused temporarily.');
  } else {
    request.log.error({ err: error }, 'A request failed.');
  }
}

/** The client disconnected before its whole body was received, which is no error of the service. */
function answerNobody(request: FastifyRequest, reply: FastifyReply) {
  request.log.debug('A client closed the connection before it had sent the whole body.');
  const detail = 'The connection was closed before the whole body was received.';
  return sendProblem(new Problem('malformed_request', detail), request, reply);
}

const ofAnotherAnswer = [
  'link',
  'location',
  'content-length',
  'content-encoding',
  'content-disposition',
  'etag',
];

const codes = new WeakMap<FastifyRequest, ProblemCode>();

/** The error code with which a request was answered. */
export function codeOf(request: FastifyRequest): ProblemCode | undefined {
  return codes.get(request);
}

/** Sends a problem (RFC 9457) with its headers. */
export function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply) {
  const body = problemBody(problem, request.id);
  codes.set(request, problem.code);
  // Removes headers that the handler had set for another answer.
  for (const name of ofAnotherAnswer) reply.removeHeader(name);
  // Some errors, such as 404, could be stored by a cache otherwise (RFC 9111, section 4.2.2).
  reply.headers({ ...problem.headers, 'X-Request-Id': request.id, 'Cache-Control': 'no-store' });
  if (problem.retryAfter !== undefined) reply.header('Retry-After', String(problem.retryAfter));
  const challenge = authenticationChallenge(problem, request.routeOptions.config.scope);
  if (challenge) reply.header('WWW-Authenticate', challenge);
  return reply
    .code(body.status)
    .header('Content-Type', mediaType)
    .serializer(JSON.stringify)
    .send(body);
}

export function problemBody(problem: Problem, requestId: string) {
  const [status, title] = problems[problem.code];
  return {
    type: `/docs/errors#${problem.code}`,
    title,
    status,
    detail: problem.message,
    code: problem.code,
    request_id: requestId,
    ...(problem.errors && { errors: problem.errors }),
    message: problem.message,
    ...problem.members,
  };
}

/** Codes for a missing token, about which there is no more to say. */
const withoutToken = new Set<ProblemCode>(['token_missing', 'session_ended', 'sign_in_failed']);

/** RFC 6750, section 3: without a token there is no error code. */
function authenticationChallenge(problem: Problem, scope = ''): string | undefined {
  const [status] = problems[problem.code];
  if (withoutToken.has(problem.code)) return 'Bearer realm="berth"';
  if (status === 401) return 'Bearer realm="berth", error="invalid_token"';
  if (problem.code !== 'scope_missing') return undefined;
  return `Bearer realm="berth", error="insufficient_scope", scope="${scope}"`;
}
