import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../e2e/service.ts';

/** A request and its result. */
export interface Asked {
  method: string;
  /** The time of the response, in milliseconds of `performance.now()`. */
  at: number;
  status: number;
  retryAfter: string | null;
  body: { id?: number; code?: string };
  /** For a create, the name of the server. */
  hostname?: string;
}

const answeredWithinMs = 120_000;

export async function ask(
  { url, token }: Service,
  method: string,
  path: string,
  body?: object,
): Promise<Asked> {
  const response = await fetch(`${url}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body ? JSON.stringify(body) : null,
    signal: AbortSignal.timeout(answeredWithinMs),
  });
  const answer = (await response.json()) as Asked['body'];
  const retryAfter = response.headers.get('retry-after');
  return { method, at: performance.now(), status: response.status, retryAfter, body: answer };
}

export async function create(service: Service, name: string): Promise<Asked> {
  const size = { cpu: 1, ram: 256, disk: 2 };
  const wanted = { name, location_id: 1, os_id: 1, password: 'correct horse', initialCommands: [] };
  return { ...(await ask(service, 'POST', '/servers', { ...wanted, ...size })), hostname: name };
}

const readEveryMs = 10;
const createEveryMs = 200;

/**
 * Starts clients that read servers, and clients that create servers whose names begin with `name`. They do not wait for
 * each other. `end` returns all of their results.
 */
export function beginLoad(service: Service, name = 'load') {
  const seen: Asked[] = [];
  let made = 0;
  let going = true;

  async function repeat(everyMs: number, request: () => Promise<Asked>): Promise<void> {
    while (going) {
      seen.push(await request());
      await sleep(everyMs);
    }
  }
  const read = () => repeat(readEveryMs, () => ask(service, 'GET', '/servers?limit=10'));
  const make = () => repeat(createEveryMs, () => create(service, `${name}-${++made}`));
  const working = Promise.all([read(), read(), make(), make()]);
  // `end` throws the error.
  working.catch(() => undefined);
  return {
    /** The results so far, in the order of the responses. */
    seen: seen as readonly Asked[],
    async end(): Promise<Asked[]> {
      going = false;
      await working;
      return seen;
    },
  };
}
