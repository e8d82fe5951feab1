import { ServerCreate, ServerStop } from '@berth/contract/servers';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import { changesNothing } from '../changes/change.ts';
import type { FieldError } from '../problems/problem.ts';
import { createTestApp, createTestToken } from './app.ts';
import { inject } from './inject.ts';
import { createTestDatabase } from './postgres.ts';

const nothing = <T>(request: FastifyRequest, answer: T) =>
  changesNothing(request, Promise.resolve(answer));

/** Routes that return what they were sent. */
function probeRoutes(api: App): void {
  const schema = { body: ServerCreate, response: { 200: Type.Any() } };
  const config = { scope: 'servers:write' } as const;
  api.post('/probe', { config, schema }, async (request) => nothing(request, request.body));
  const stop = { body: ServerStop, response: { 200: Type.Any() } };
  api.post('/probe/stop', { config, schema: stop }, async (request) =>
    nothing(request, request.body),
  );
  const start = { response: { 200: Type.Any() } };
  api.post('/probe/start', { config, schema: start }, async (request) =>
    nothing(request, { started: true }),
  );
  api.delete('/probe', { config, schema: start }, async (request) =>
    nothing(request, { deleted: true }),
  );
}

/** A valid body for the probe. */
export const valid = {
  name: 'web-1.example.com',
  location_id: 1,
  os_id: 2,
  password: 'grüße, 世界 😀',
  initialCommands: ['echo "hi"\n\ttrue', ['touch', '/a b', '']],
  cpu: 2,
  ram: 2048,
  disk: 20,
};

/** The same as a form, in two parts. */
export const formPairs: [string, string][] = [
  ['name', valid.name],
  ['location_id', '1'],
  ['os_id', '2'],
  ['password', valid.password],
  ['cpu', '2'],
  ['ram', '2048'],
  ['disk', '20'],
];
export const commandPairs: [string, string][] = [
  ['initialCommands[]', 'echo "hi"\n\ttrue'],
  ['initialCommands[1][]', 'touch'],
  ['initialCommands[1][]', '/a b'],
  ['initialCommands[1][]', ''],
];

export const json = { type: 'application/json' };
export const form = { type: 'application/x-www-form-urlencoded' };

interface Sent {
  method?: 'POST' | 'DELETE';
  url?: string;
  type?: string | undefined;
}

/** A service whose routes return the parsed body. */
export async function openProbe() {
  const { db, close } = await createTestDatabase();
  const app = await createTestApp(db, [probeRoutes]);
  const { headers } = await createTestToken(db);

  async function post(payload: string | Buffer, sent: Sent = {}) {
    const { method = 'POST', url = '/v1/probe', type } = sent;
    const typed = type === undefined ? headers : { ...headers, 'content-type': type };
    return await inject(app, { method, url, payload, headers: typed });
  }

  function postJson(value: unknown) {
    return post(JSON.stringify(value), json);
  }

  function postForm(pairs: [string, string][]) {
    return post(new URLSearchParams(pairs).toString(), form);
  }

  async function multipart(pairs: [string, string | File][]) {
    const data = new FormData();
    for (const [name, value] of pairs) data.append(name, value);
    const sent = new Response(data);
    const type = sent.headers.get('content-type') ?? '';
    return await post(Buffer.from(await sent.arrayBuffer()), { type });
  }

  return {
    post,
    postJson,
    postForm,
    multipart,
    async close() {
      await app.close();
      await close();
    },
  };
}

/** The errors of a response by position: a pointer for the body, and `?` with the name for parameters. */
export function errorsOf(answer: { json(): { errors: FieldError[] } }) {
  return Object.fromEntries(answer.json().errors.map((error) => [placeOf(error), error.detail]));
}

/** `/cpu` in the body, `?limit` in the query. */
export function placeOf({ pointer, parameter }: FieldError): string {
  return parameter === undefined ? pointer : `?${parameter}`;
}
