import { BerthError, ConnectionFailedError, UnexpectedResponseError } from '@berth/client';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { type ExitStatus, exitStatuses } from '../exit-statuses.ts';
import { Failure } from './failure.ts';
import { optionOf, withOptions } from './options.ts';

export interface Explanation {
  message: string;
  /** More lines, such as what to do. */
  hints: string[];
  status: ExitStatus;
}

/**
 * What the user is told about an error. Undefined for an error of the program itself.
 *
 * @param command the command that was typed, whose options are named in place of fields
 */
export function explain(error: unknown, command?: CommandUnknownOpts): Explanation | undefined {
  if (error instanceof Failure) {
    return { message: error.message, hints: error.hint ? [error.hint] : [], status: error.status };
  }
  if (error instanceof BerthError) return explainBerth(error, command);
  return undefined;
}

function explainBerth(error: BerthError, command: CommandUnknownOpts | undefined): Explanation {
  const fields = error.errors.map(({ pointer, parameter, detail }) => {
    const field = parameter ?? pointer?.replace(/^\//, '').replaceAll('/', '.');
    return field ? `${optionOf(command, field)}: ${detail}` : detail;
  });
  const [only] = error.errors;
  // The detail of a single error is the message, after its pointer.
  const isSingle = fields.length === 1 && only && error.detail.endsWith(only.detail);
  // The errors are listed below.
  const isList =
    fields.length > 1 && error.errors.every((one) => error.detail.includes(one.detail));
  const summary = isList ? `${fields.length} values are not valid:` : detailOf(error);
  const detail = withOptions(command, summary);
  const [message = detail] = isSingle ? fields : [];
  const listed = isSingle ? [] : fields.map((field) => `  ${field}`);
  return { message, hints: [...listed, ...hintsOf(error)], status: exitStatusOf(error) };
}

/** The IDs that an ambiguous name can stand for are listed below it, with more about each. */
const detailOf = ({ detail, problem }: BerthError) =>
  problem?.candidates ? detail.replace(/: \d+(, \d+)*\.$/, ':') : detail;

function hintsOf(error: BerthError): string[] {
  const { status = 0, code, operation, requestId, problem } = error;
  if (code === 'sign_in_failed') return [];
  if (status === 401) return ['Sign in again with "berth login URL", or set BERTH_TOKEN.'];
  if (code === 'connection_failed') {
    return ['Check that Berth runs, and that "berth context list" has its URL.'];
  }
  if (code === 'ambiguous_name') {
    return (problem?.candidates ?? []).map(
      ({ id, name, location }) => `  ${id}  ${name}${location ? `  (${location})` : ''}`,
    );
  }
  if (code === 'operation_in_progress' && operation) {
    return [`Follow it with "berth operation watch ${operation.id}".`];
  }
  return status >= 500 && requestId ? [`The ID of the request in the logs is ${requestId}.`] : [];
}

const ofHttp: Record<number, ExitStatus> = {
  400: exitStatuses.usage,
  401: exitStatuses.not_signed_in,
  403: exitStatuses.not_allowed,
  404: exitStatuses.not_found,
  409: exitStatuses.conflict,
  422: exitStatuses.usage,
  429: exitStatuses.unreachable,
  500: exitStatuses.unreachable,
  502: exitStatuses.unreachable,
  503: exitStatuses.unreachable,
  504: exitStatuses.unreachable,
};

function exitStatusOf(error: BerthError): ExitStatus {
  // A 404 of a proxy does not say that a server does not exist.
  const isOther = error instanceof UnexpectedResponseError;
  if (isOther || error instanceof ConnectionFailedError) return exitStatuses.unreachable;
  // An operation that failed has no HTTP status.
  return ofHttp[error.status ?? 0] ?? exitStatuses.failed;
}
