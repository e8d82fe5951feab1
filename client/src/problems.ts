import { BerthError, type Details, type Problem, UnexpectedResponseError } from './errors.ts';
import { classOfCode } from './generated/errors.ts';
import { retryAfterMs } from './retries.ts';

/** An error of the class of its code. */
export function errorOf(code: string, detail: string, details: Details): BerthError {
  const Class = Object.hasOwn(classOfCode, code)
    ? classOfCode[code as keyof typeof classOfCode]
    : BerthError;
  return new Class(code, detail, details);
}

/** What a service or a proxy responds while the service restarts. */
const passing = [429, 502, 503, 504];

/** Whether the request may succeed later by itself. */
export const isPassing = ({ code, status }: BerthError): boolean =>
  code === 'connection_failed' || (status !== undefined && passing.includes(status));

/** The error for a response whose status says that the request failed. */
export function problemError(body: unknown, response: Response): BerthError {
  if (isRedirect(response)) return redirected(response);
  if (!isProblem(body)) return unexpectedResponse(response);
  return errorOf(body.code, body.detail, {
    status: response.status,
    errors: body.errors,
    requestId: body.request_id,
    operation: body.operation,
    retryAfterMs: retryAfterMs(response.headers),
    problem: body,
  });
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'detail' in body;
}

/** In browsers, a redirect that is not followed has the status 0, and no headers. */
const isRedirect = ({ type, status, headers }: Response) =>
  type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('Location'));

function redirected({ status, headers, url }: Response): UnexpectedResponseError {
  const target = headers.get('Location') ?? 'another URL';
  const detail = `${url} redirects to ${target}. Redirects are not followed; use this URL instead.`;
  return new UnexpectedResponseError('unexpected_response', detail, { status });
}

/** The error for a response that is not one of Berth. */
export function unexpectedResponse({ status, headers, url }: Response, cause?: unknown) {
  const type = headers.get('Content-Type') ?? 'no content type';
  const detail =
    `${url} was not answered by Berth: the response has the status ${status} and ${type}. ` +
    'Check the URL, and proxies on the way.';
  return new UnexpectedResponseError('unexpected_response', detail, { status, cause });
}
