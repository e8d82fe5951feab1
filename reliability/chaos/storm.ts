import { randomUUID } from 'node:crypto';
import type { Service } from '../../e2e/service.ts';
import type { Random } from '../../service/src/testing/random.ts';
import { until } from '../../service/src/testing/until.ts';

const actors = 6;
/** The password of root with which servers are created and rebuilt. */
export const firstPassword = 'correct horse';
/** The values of a label, by which some requests select their servers. */
const teams = ['red', 'blue'] as const;
const changes = ['start', 'stop', 'restart', 'password', 'retry', 'resize', 'rebuild'] as const;
/** Includes the restart of what was killed, on a machine with other load. */
const answeredSeconds = 180;

export interface StormCounts {
  requests: number;
  accepted: number;
  refused: number;
  /** Requests that were repeated because they got no response, or a 503. */
  repeated: number;
}

export interface Storm {
  /** Servers whose create was accepted. */
  servers: Set<number>;
  /** Operations that were accepted. */
  operations: Set<number>;
  /** The generated passwords of root, by the id of the operation that sets them. */
  passwords: Map<number, string>;
  counts: StormCounts;
  begin(): void;
  /** Resolves when every request so far has its response. */
  pause(): Promise<void>;
}

interface Answer {
  status: number;
  body: {
    id?: number;
    operation_id?: number;
    operation?: { id: number };
    password?: string;
    code?: string;
    /** Of an action on several servers. */
    results?: { operation?: { id: number } }[];
    /** Of an operation that was cancelled. */
    message?: string;
    server_id?: number;
  };
}

/**
 * Clients that create servers, act on them, rename and delete them concurrently. A request without a
 * response is repeated with the same `Idempotency-Key` until it gets one, so that each counts once.
 */
export function createStorm(service: Service, random: Random, mostServers: number): Storm {
  const servers = new Set<number>();
  const operations = new Set<number>();
  const passwords = new Map<number, string>();
  const live = new Set<number>();
  const counts = { requests: 0, accepted: 0, refused: 0, repeated: 0 };
  let running: Promise<unknown> = Promise.resolve();
  let stopping = false;

  async function act(): Promise<void> {
    while (!stopping) {
      const id = live.size === 0 ? undefined : random.pick([...live]);
      if (id === undefined || (live.size < mostServers && random.next() < 0.4)) await create();
      else if (random.next() < 0.25) await remove(id);
      else await random.pick([...Array(4).fill(() => change(id)), changeSeveral, cancel])();
    }
  }

  /** What a create and a rebuild run in the guest, whose root gets this password. */
  function setup() {
    const initialCommands = ['echo ran >> /root/ran', `sleep ${random.pick([0, 0.2, 1])}`];
    const userData = random.pick([{}, {}, { user_data: '#!/bin/sh\necho data > /root/data\n' }]);
    return { password: firstPassword, initialCommands, ...userData };
  }

  async function create(): Promise<void> {
    const place = { name: `chaos-${counts.requests}`, location_id: 1, os_id: 1 };
    const size = { cpu: 1, ram: 256, disk: 2 };
    const labels = { team: random.pick(teams) };
    const answer = await insist('POST', '/v1/servers', { ...place, ...size, ...setup(), labels });
    if (answer.status !== 201 || answer.body.id === undefined) return;
    servers.add(answer.body.id);
    live.add(answer.body.id);
  }

  async function remove(id: number): Promise<void> {
    live.delete(id);
    await insist('DELETE', `/v1/servers/${id}`);
  }

  async function change(id: number): Promise<void> {
    if (random.next() < 0.2) return await rename(id);
    const action = random.pick(changes);
    await insist('POST', `/v1/servers/${id}/${action}`, bodyOf(action));
  }

  function bodyOf(action: (typeof changes)[number]): object | undefined {
    switch (action) {
      case 'stop':
        return random.next() < 0.5 ? { force: true } : undefined;
      case 'resize':
        // A disk only grows, so that some are refused.
        return random.pick([{ cpu: 2, ram: 384 }, { cpu: 1, ram: 256 }, { disk: 3 }, { disk: 2 }]);
      case 'rebuild':
        return { erase: true, ...setup() };
      default:
        return undefined;
    }
  }

  async function rename(id: number): Promise<void> {
    await insist('PATCH', `/v1/servers/${id}`, { name: `renamed-${counts.requests}` });
  }

  async function changeSeveral(): Promise<void> {
    const ids = Array.from({ length: random.between(2, 4) }, () => random.pick([...live]));
    const which = random.next() < 0.5 ? { ids } : { label_selector: `team=${random.pick(teams)}` };
    const action = random.pick(['start', 'stop', 'restart'] as const);
    await insist('POST', '/v1/servers/actions', { action, ...which });
  }

  /** Cancels one of the last operations, which may have ended. The server of a first create is deleted then. */
  async function cancel(): Promise<void> {
    const id = random.pick([...operations].slice(-actors));
    const { status, body } = await insist('POST', `/v1/operations/${id}/cancel`);
    const { message, server_id: serverId } = body;
    const isDeleted = status === 200 && message?.includes('the server is being deleted');
    if (isDeleted && serverId !== undefined) live.delete(serverId);
  }

  async function insist(method: string, path: string, body?: object): Promise<Answer> {
    const key = randomUUID();
    counts.requests += 1;
    const ask = async () => {
      const answer = await send(service, { method, path, body, key });
      if (!answer) counts.repeated += 1;
      return answer;
    };
    const isThere = (answer: Answer | undefined) => answer !== undefined;
    const answer = await until(`${method} ${path} is answered`, ask, isThere, answeredSeconds);
    return count(answer as Answer);
  }

  function count(answer: Answer): Answer {
    if (answer.status >= 300) {
      counts.refused += 1;
      return answer;
    }
    counts.accepted += 1;
    const { operation_id: id = answer.body.operation?.id, password } = answer.body;
    if (id !== undefined) operations.add(id);
    if (id !== undefined && password !== undefined) passwords.set(id, password);
    for (const { operation } of answer.body.results ?? []) {
      if (operation) operations.add(operation.id);
    }
    return answer;
  }

  return {
    servers,
    operations,
    passwords,
    counts,
    begin() {
      stopping = false;
      running = Promise.all(Array.from({ length: actors }, act));
      // The error is thrown by the next pause.
      running.catch(() => undefined);
    },
    async pause() {
      stopping = true;
      await running;
    },
  };
}

interface Request {
  method: string;
  path: string;
  body: object | undefined;
  key: string;
}

/** Undefined without a response, or if it should be repeated. */
async function send({ url, token }: Service, request: Request): Promise<Answer | undefined> {
  const { method, path, body, key } = request;
  const headers = {
    authorization: `Bearer ${token}`,
    'idempotency-key': key,
    ...(body && { 'content-type': 'application/json' }),
  };
  const init = { method, headers, body: body ? JSON.stringify(body) : null };
  let response: Response;
  let text: string;
  try {
    response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(20_000) });
    text = await response.text();
  } catch {
    // The service was killed before it answered, or does not listen yet.
    return undefined;
  }
  const answer = { status: response.status, body: JSON.parse(text) as Answer['body'] };
  if (answer.status === 503 && response.headers.has('retry-after')) return undefined;
  if (answer.body.code === 'idempotency_in_progress') return undefined;
  if (answer.status >= 500) throw new Error(`${method} ${path} was answered ${text}`);
  return answer;
}
