import { type NotFound, nouns, wordsOf } from '@berth/contract/nouns';
import { failures } from './failures.ts';

/** An invalid value in a request, and what to do about it. */
export type FieldError = Where & { detail: string };

/** Its position in the body (RFC 6901), or the name of the parameter in the query or path. */
export type Where = { pointer: string; parameter?: never } | { parameter: string; pointer?: never };

/** Every reason to refuse a request: its HTTP status and title. The codes are part of the API. */
export const refusals = {
  malformed_request: [400, 'Malformed request'],
  invalid_cursor: [400, 'Invalid cursor'],
  authorization_pending: [400, 'Authorization pending'],
  device_code_invalid: [400, 'Invalid device code'],
  token_missing: [401, 'Authentication required'],
  token_malformed: [401, 'Malformed token'],
  token_invalid: [401, 'Unknown or revoked token'],
  token_expired: [401, 'Expired token'],
  session_ended: [401, 'Session has ended'],
  sign_in_failed: [401, 'Sign-in failed'],
  scope_missing: [403, 'Insufficient scope'],
  network_not_allowed: [403, 'Not allowed from this network'],
  person_required: [403, 'Session required'],
  owner_required: [403, 'Owner of the project required'],
  confirmation_required: [403, 'Confirmation required'],
  authorization_denied: [403, 'Authorization denied'],
  csrf_failed: [403, 'CSRF check failed'],
  quota_exceeded: [403, 'Quota exceeded'],
  not_found: [404, 'Not found'],
  ...noSuchNoun(),
  user_code_not_found: [404, 'User code not found'],
  output_not_found: [404, 'Output not found'],
  console_not_found: [404, 'Console not found'],
  method_not_allowed: [405, 'Method not allowed'],
  not_acceptable: [406, 'Not acceptable'],
  project_in_use: [409, 'Project is in use'],
  name_taken: [409, 'Name is taken'],
  ssh_key_exists: [409, 'SSH key already exists'],
  ambiguous_name: [409, 'Name is ambiguous'],
  size_in_use: [409, 'Size is in use'],
  address_pool_in_use: [409, 'Address pool is in use'],
  address_pool_overlaps: [409, 'Address pool overlaps another'],
  email_taken: [409, 'Email address is taken'],
  setup_closed: [409, 'Setup is closed'],
  own_account: [409, 'Not possible for your own account'],
  already_member: [409, 'Already a member'],
  last_owner: [409, 'Last owner of the project'],
  server_not_stopped: [409, 'Server is not stopped'],
  server_not_running: [409, 'Server is not running'],
  server_not_paused: [409, 'Server is not paused'],
  too_many_consoles: [409, 'Too many consoles are open'],
  password_not_settable: [409, 'Password cannot be set now'],
  server_not_suspended: [409, 'Server is not suspended'],
  suspended: [409, 'Server is suspended'],
  server_not_movable: [409, 'Server cannot be moved'],
  server_not_resizable: [409, 'Server cannot be resized'],
  server_not_renamable: [409, 'Server cannot be renamed'],
  server_on_node: [409, 'Server is already on the node'],
  protected: [409, 'Server is protected'],
  drift_not_adoptable: [409, 'Instance cannot be adopted'],
  drift_not_repairable: [409, 'Drift cannot be repaired'],
  server_not_failed: [409, 'Creation did not fail'],
  traffic_exceeded: [409, 'Traffic allowance is used up'],
  retry_expired: [409, 'Creation can no longer be retried'],
  operation_in_progress: [409, 'Another operation is in progress'],
  operation_ended: [409, 'Operation has ended'],
  not_cancellable: [409, 'Operation can no longer be cancelled'],
  node_offline: [409, 'Node is unreachable'],
  node_answers: [409, 'Node is reachable'],
  location_unreachable: [409, 'Location is unreachable'],
  not_clustered: [409, 'Node is not in a cluster'],
  no_address_left: [409, 'No address left'],
  no_capacity: [409, 'No capacity left'],
  idempotency_in_progress: [409, 'First request with this key is in progress'],
  events_gone: [410, 'Events are no longer kept'],
  body_too_large: [413, 'Body too large'],
  unsupported_media_type: [415, 'Unsupported media type'],
  misdirected_request: [421, 'Misdirected request'],
  validation_failed: [422, 'Validation failed'],
  idempotency_mismatch: [422, 'Idempotency key used for another request'],
  websocket_required: [426, 'WebSocket required'],
  rate_limited: [429, 'Too many requests'],
  headers_too_large: [431, 'Headers too large'],
  internal_error: [500, 'Internal error'],
  unavailable: [503, 'Temporarily unavailable'],
  query_timeout: [503, 'Reading took too long'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

/** The codes for missing objects, one for each noun, such as `token_not_found`. */
function noSuchNoun() {
  const lines = nouns.map((noun) => {
    const title = `${wordsOf(noun).replace(/^./, (first) => first.toUpperCase())} not found`;
    return [`${noun}_not_found`, [404, title]];
  });
  return Object.fromEntries(lines) as Record<NotFound, readonly [status: 404, title: string]>;
}

/** Every error that a client can get. */
export const problems = { ...refusals, ...failures };

export type ProblemCode = keyof typeof problems;

interface ProblemExtras {
  errors?: FieldError[];
  /** Whole seconds, sent as `Retry-After`. */
  retryAfter?: number;
  /** Extension members of the problem (RFC 9457, section 3.2). */
  members?: Record<string, unknown>;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** A refusal with a message for the client. The HTTP layer converts it to RFC 9457. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: FieldError[] | undefined;
  readonly retryAfter: number | undefined;
  readonly members: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail, { cause: extras.cause });
    this.name = 'Problem';
    this.code = code;
    this.errors = extras.errors;
    this.retryAfter = extras.retryAfter;
    this.members = extras.members ?? {};
    this.headers = extras.headers ?? {};
  }
}

/** A 422 for fields of the body, or parameters of the query. */
export function invalidFields(errors: FieldError[]): Problem {
  const detail = errors.map(inOneSentence).join(' ');
  return new Problem('validation_failed', detail, { errors });
}

/**
 * For example "/cpu: Must be …", "limit: Must be …", and for the whole body "The body must be …".
 */
function inOneSentence({ pointer, parameter, detail }: FieldError): string {
  const where = parameter ?? pointer;
  if (where) return `${where}: ${detail}`;
  return `The body ${detail.replace(/^./, (first) => first.toLowerCase())}`;
}
