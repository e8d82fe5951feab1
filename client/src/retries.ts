import type { Fetch } from './berth.ts';
import { ConnectionFailedError, type Problem } from './errors.ts';
import { pause } from './signals.ts';

/** The longest pause. The request fails instead if the service asks for a longer one. */
const longestPauseMs = 60_000;
const firstPauseMs = 500;

/**
 * Sends a request again if it can succeed later and nothing is done twice:
 * - after 429, because such a request was not carried out;
 * - a read, or a change with an `Idempotency-Key`, after 502, 503 or 504 and after a lost connection.
 *
 * @param most the number of times that a request is sent again
 */
export function retrying(fetch: Fetch, most: number): Fetch {
  return async (request) => {
    for (let failures = 0; ; failures += 1) {
      const outcome = await attempt(fetch, request);
      const ms = failures < most ? await pauseAfter(outcome, request, failures) : undefined;
      if (ms === undefined) {
        if (outcome instanceof Response) return outcome;
        throw outcome;
      }
      if (outcome instanceof Response) await outcome.body?.cancel();
      await pause(ms, request.signal);
    }
  };
}

async function attempt(fetch: Fetch, request: Request): Promise<Response | ConnectionFailedError> {
  // A copy, because the body of a request can be read only once. It is given the signal once more, because Node.js does
  // not abort a clone any more after it has freed memory.
  const copy = new Request(request.clone(), { signal: request.signal });
  try {
    return await fetch(copy);
  } catch (error) {
    return connectionFailed(error, copy.signal);
  }
}

/** The error for a request without a complete response. Throws the reason of the signal if that has ended it. */
export function connectionFailed(cause: unknown, signal?: AbortSignal | null) {
  signal?.throwIfAborted();
  const detail = `The connection to the service failed: ${reasonOf(cause)}`;
  return new ConnectionFailedError('connection_failed', detail, { cause });
}

/** The error of `fetch` in Node.js says only that it failed, and its cause says why. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const reason = cause instanceof Error ? cause : error;
  const { code, message } = reason as { code?: unknown; message?: unknown };
  return String(message || code || reason);
}

/** The milliseconds until the request is sent again; undefined if it must not be, or not soon. */
async function pauseAfter(
  outcome: Response | ConnectionFailedError,
  request: Request,
  failures: number,
): Promise<number | undefined> {
  const random = 0.5 + Math.random() / 2;
  const ownPause = Math.min(longestPauseMs, firstPauseMs * 2 ** failures) * random;
  if (outcome instanceof ConnectionFailedError) return isRepeatable(request) ? ownPause : undefined;
  const asked = retryAfterMs(outcome.headers);
  if (asked !== undefined && asked > longestPauseMs) return undefined;
  // Clients that were refused together do not come back together.
  const askedPause = asked === undefined ? undefined : asked + firstPauseMs * Math.random();
  const { status } = outcome;
  if (status === 429) return askedPause ?? ownPause;
  if (!isRepeatable(request)) return undefined;
  if (status === 503 && askedPause !== undefined) return askedPause;
  if (status === 409 && (await isStillInProgress(outcome))) return askedPause ?? ownPause;
  // Without `Retry-After`, these codes of Berth say that an operation failed. Proxies send them, too.
  const isFromProxy = [502, 503, 504].includes(status) && !isProblem(outcome);
  return isFromProxy ? (askedPause ?? ownPause) : undefined;
}

/** Whether it does no harm if a request arrives twice. */
const isRepeatable = ({ method, headers }: Request) =>
  method === 'GET' || headers.has('Idempotency-Key');

const isProblem = ({ headers }: Response) =>
  headers.get('Content-Type')?.startsWith('application/problem+json') ?? false;

/** Whether the first request with the same key, whose connection was lost, is still being processed. */
async function isStillInProgress(response: Response): Promise<boolean> {
  if (!isProblem(response)) return false;
  const { code } = (await response.clone().json()) as Problem;
  return code === 'idempotency_in_progress';
}

/** `Retry-After`: seconds, or a date, which is compared with that of the response, as clocks differ. */
export function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('Retry-After')?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const now = Date.parse(headers.get('Date') ?? '') || Date.now();
  const ms = Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
