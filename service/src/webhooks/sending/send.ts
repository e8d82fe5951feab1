import { type DeliveryError, excerptBytes } from '@berth/contract/webhook-deliveries';
import { Client, type Dispatcher } from 'undici';
import { AddressRefused, NameUnresolvable } from './connect.ts';

export interface Message {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** How an attempt ended. */
export interface Outcome {
  durationMs: number;
  status: number | null;
  excerpt: string | null;
  /** Undefined after a success. */
  failure?: { reason: DeliveryError; detail: string };
  /** Seconds for which the receiver asked with `Retry-After`. */
  retryAfter?: number | undefined;
}

export interface SendOptions {
  connect: NonNullable<Client.Options['connect']>;
  timeoutMs: number;
  /** Aborted when the service stops. */
  signal: AbortSignal;
}

/** From 200 to 299 the receiver has it. */
const isSuccess = (status: number) => status >= 200 && status < 300;
const isRedirect = (status: number) => status >= 300 && status < 400;

/**
 * Sends a message on a connection of its own, for which the address is checked, and follows no redirects. Throws only if
 * the signal aborts.
 */
export async function send(message: Message, options: SendOptions): Promise<Outcome> {
  const { origin, pathname, search } = new URL(message.url);
  const began = performance.now();
  const durationMs = () => Math.round(performance.now() - began);
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([deadline, options.signal]);
  const client = new Client(origin, { connect: options.connect, pipelining: 0 });
  const close = () => {
    const why: Error | null = signal.reason ?? null;
    client.destroy(why).catch(() => undefined);
  };
  // The client itself heeds a signal only once it has a connection.
  signal.addEventListener('abort', close, { once: true });
  try {
    const { statusCode, headers, body } = await client.request({
      method: 'POST',
      path: pathname + search,
      headers: message.headers,
      body: message.body,
      reset: true,
      signal,
    });
    const excerpt = await excerptOf(body);
    const ended = { durationMs: durationMs(), status: statusCode, excerpt };
    const failure = failureOf(statusCode);
    return failure ? { ...ended, failure, retryAfter: secondsOf(headers['retry-after']) } : ended;
  } catch (error) {
    if (options.signal.aborted) throw error;
    const failure = deadline.aborted ? timedOut(options.timeoutMs) : explain(error);
    return { durationMs: durationMs(), status: null, excerpt: null, failure };
  } finally {
    // What is left of the response is not read.
    signal.removeEventListener('abort', close);
    close();
  }
}

/** The beginning of the response, as text without control characters. The status counts even if the body does not come. */
async function excerptOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= excerptBytes) break;
    }
  } catch {
    // It was cut off, or took too long.
  }
  const text = Buffer.concat(chunks).subarray(0, excerptBytes).toString('utf8');
  return text.replace(/[^\P{C}\n\t]/gu, '\ufffd');
}

function failureOf(status: number): Outcome['failure'] {
  if (isSuccess(status)) return undefined;
  if (isRedirect(status)) {
    const detail = `The receiver responded with the redirect ${status}, which is not followed. Use the final URL.`;
    return { reason: 'redirect', detail };
  }
  return { reason: 'bad_status', detail: `The receiver responded with the status ${status}.` };
}

const timedOut = (ms: number): NonNullable<Outcome['failure']> => ({
  reason: 'timeout',
  detail: `The receiver did not respond within ${ms / 1000} seconds.`,
});

/** What is known of a connection, in the words of Berth: the error may name addresses. */
const connectionErrors: Record<string, string> = {
  ECONNREFUSED: 'The receiver refused the connection.',
  ECONNRESET: 'The receiver closed the connection before it responded.',
  EPIPE: 'The receiver closed the connection before it responded.',
  UND_ERR_SOCKET: 'The receiver closed the connection before it responded.',
  EHOSTUNREACH: 'The receiver cannot be reached.',
  ENETUNREACH: 'The receiver cannot be reached.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the response are too large.',
};

const isOfTls = (code: string) =>
  /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/.test(code);

function explain(error: unknown): NonNullable<Outcome['failure']> {
  if (error instanceof AddressRefused) return { reason: 'address_refused', detail: error.message };
  if (error instanceof NameUnresolvable)
    return { reason: 'name_unresolvable', detail: 'The name of the URL has no address.' };
  const code = codeOf(error);
  if (/TIMEDOUT|TIMEOUT/.test(code)) {
    return { reason: 'timeout', detail: 'The connection was not established in time.' };
  }
  if (isOfTls(code)) {
    return { reason: 'tls_failed', detail: `The TLS connection failed: ${code}.` };
  }
  if (code.startsWith('HPE_')) {
    return { reason: 'connection_failed', detail: 'The response is not valid HTTP.' };
  }
  const detail = connectionErrors[code] ?? 'The connection failed.';
  return { reason: 'connection_failed', detail };
}

/** An error for several addresses has those of each. */
function codeOf(error: unknown): string {
  const { code, errors: [first] = [] } = error as { code?: unknown; errors?: unknown[] };
  if (first !== undefined) return codeOf(first);
  return typeof code === 'string' ? code : '';
}

/** A number of seconds, or a date (RFC 9110, section 10.2.3). */
function secondsOf(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined;
  const seconds = /^\d{1,9}$/.test(header)
    ? Number(header)
    : (Date.parse(header) - Date.now()) / 1000;
  return seconds > 0 ? seconds : undefined;
}
