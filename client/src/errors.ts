import type { components } from './generated/schema.ts';

export type Problem = components['schemas']['Problem'];
export type FieldError = components['schemas']['FieldError'];
/** The operation that an error is about. */
export type FailedOperation = NonNullable<Problem['operation']>;

export interface Details extends ErrorOptions {
  status?: number | undefined;
  errors?: FieldError[] | undefined;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  operation?: FailedOperation | undefined;
  problem?: Problem | undefined;
}

/**
 * A request or an operation failed. Each code has a subclass, such as `ServerNotFoundError` for `server_not_found`. A
 * code that a newer service has added is an error of this class.
 */
export class BerthError extends Error {
  /** The kind of error. `/docs/errors` of the service explains each code. */
  readonly code: string;
  /** What went wrong and what to do about it, as human-readable text. */
  readonly detail: string;
  /** The HTTP status. Undefined without a response, and for an operation that failed after its request. */
  readonly status: number | undefined;
  /** The invalid fields of the body and parameters of the query. Empty unless single values are invalid. */
  readonly errors: readonly FieldError[];
  /** The ID of the request in the logs of the service. */
  readonly requestId: string | undefined;
  /** After how many milliseconds the service asks for the request again, if it does. */
  readonly retryAfterMs: number | undefined;
  /** The operation that failed, or that prevents the request. */
  readonly operation: FailedOperation | undefined;
  /** The whole problem (RFC 9457), with the members of its code, such as `quota`. Undefined without one. */
  readonly problem: Problem | undefined;

  constructor(code: string, detail: string, details: Details = {}) {
    super(detail, details.cause === undefined ? {} : { cause: details.cause });
    // Not the name of the class, which a bundler may shorten.
    this.name = classNameOf(code);
    this.code = code;
    this.detail = detail;
    this.status = details.status;
    this.errors = details.errors ?? [];
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.operation = details.operation;
    this.problem = details.problem;
  }
}

/** The service could not be reached, or the connection was lost. `cause` says why. */
export class ConnectionFailedError extends BerthError {
  declare readonly code: 'connection_failed';
}

/** Something other than Berth answered, such as a proxy, or the answer is damaged. */
export class UnexpectedResponseError extends BerthError {
  declare readonly code: 'unexpected_response';
}

/** An operation did not end within the time for which the program wanted to wait. It continues. */
export class WaitTimeoutError extends BerthError {
  declare readonly code: 'wait_timeout';
}

/** `server_not_found` has the class `ServerNotFoundError`, and `internal_error` `InternalError`. */
export function classNameOf(code: string): string {
  const name = code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return name.endsWith('Error') ? name : `${name}Error`;
}
