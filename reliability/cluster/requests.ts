import { randomUUID } from 'node:crypto';
import type { Service } from '../../e2e/service.ts';
import { until } from '../../service/src/testing/until.ts';

const answeredWithinMs = 20_000;
const insistedSeconds = 180;

export interface Answer<T> {
  status: number;
  body: T;
  milliseconds: number;
}

/**
 * Sends requests to replicas like a load balancer: to each in turn, and to another one if there is
 * no response. Changes have an `Idempotency-Key`, so that they count once.
 */
export interface Requests {
  /** Throws for any response except a success. */
  get<T>(path: string): Promise<T>;
  /** Accepts any response. Throws if no replica responds. */
  send<T>(method: string, path: string, body?: object): Promise<Answer<T>>;
  /** Repeats a request until it is accepted or refused. */
  insist<T>(method: string, path: string, body?: object): Promise<Answer<T>>;
}

export function requestsTo(services: readonly Service[]): Requests {
  let turn = 0;

  async function send<T>(
    method: string,
    path: string,
    body?: object,
    key: string = randomUUID(),
  ): Promise<Answer<T>> {
    turn += 1;
    const first = turn;
    let failure: unknown;
    for (let attempt = 0; attempt < services.length; attempt += 1) {
      const service = services[(first + attempt) % services.length];
      try {
        if (service) return await exchange<T>(service, { method, path, body, key });
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  return {
    async get<T>(path: string) {
      const { status, body } = await send<T>('GET', path);
      if (status !== 200) throw new Error(`GET ${path} was answered ${JSON.stringify(body)}`);
      return body;
    },
    send: (method, path, body) => send(method, path, body),
    async insist<T>(method: string, path: string, body?: object) {
      const key = randomUUID();
      const ask = async () => await send<T>(method, path, body, key).catch(() => undefined);
      const isSettled = (answer: Answer<T> | undefined) => !!answer && !isToBeRepeated(answer);
      const answer = await until(`${method} ${path} is answered`, ask, isSettled, insistedSeconds);
      return answer as Answer<T>;
    },
  };
}

interface Request {
  method: string;
  path: string;
  body: object | undefined;
  key: string;
}

async function exchange<T>({ url, token }: Service, request: Request): Promise<Answer<T>> {
  const { method, path, body, key } = request;
  const began = performance.now();
  const response = await fetch(`${url}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(method !== 'GET' && { 'idempotency-key': key }),
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body ? JSON.stringify(body) : null,
    signal: AbortSignal.timeout(answeredWithinMs),
  });
  const answered = (await response.json()) as T;
  return { status: response.status, body: answered, milliseconds: performance.now() - began };
}

function isToBeRepeated({ status, body }: Answer<unknown>): boolean {
  const code = body !== null && typeof body === 'object' && 'code' in body ? body.code : undefined;
  return status === 503 || code === 'idempotency_in_progress';
}
