import assert from 'node:assert/strict';
import { Problem } from '@berth/contract/problems';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { App } from '../callers/app-types.ts';
import { routesOf } from '../http/route-table.ts';
import { type DeclaredAnswer, withCodes } from '../openapi/route-schemas.ts';

const ajv = new Ajv2020({ allErrors: true, strict: false });
formats.default(ajv, ['date-time', 'ipv4', 'ipv6']);

/** Statuses of responses before a route is found, or without one. */
const withoutRoute = new Set([400, 404, 405, 429]);

/** Like `app.inject`, but fails if the response does not match the schema that the route declares for its status. */
export async function inject(
  app: App,
  options: InjectOptions & { url: string },
): Promise<LightMyRequestResponse> {
  const answer = await app.inject(options);
  const method = options.method ?? 'GET';
  assert.ok(answer.headers['x-request-id'], 'X-Request-Id is missing');
  if (answer.statusCode === 204 || method === 'HEAD') return answer;
  const schema = declaredSchema(app, method, options.url, answer);
  const about = `${method} ${options.url} → ${answer.statusCode} ${answer.body.slice(0, 500)}`;
  assert.ok(schema, `is not declared: ${about}`);
  for (const part of partsOf(answer)) {
    assert.ok(ajv.validate(schema, part), `${about}: ${ajv.errorsText()}`);
  }
  return answer;
}

/** The parts of a response that its schema describes: each line, the text, or the whole body. */
function partsOf({ body, headers }: LightMyRequestResponse): unknown[] {
  const type = String(headers['content-type']);
  if (!type.includes('json')) return [body];
  const isLines = type.startsWith('application/x-ndjson');
  const parts = isLines ? body.trim().split('\n').filter(Boolean) : [body];
  return parts.map((part) => JSON.parse(part));
}

function declaredSchema(
  app: App,
  method: string,
  url: string,
  { statusCode, headers }: LightMyRequestResponse,
): object | undefined {
  const type = String(headers['content-type']).split(';')[0] ?? '';
  const route = routesOf(app.knownRoutes, url).find((r) => [r.method].flat().includes(method));
  if (!route && type === 'application/problem+json' && withoutRoute.has(statusCode)) return Problem;
  const answers = route?.schema?.response as Record<string, DeclaredAnswer> | undefined;
  const answer = answers?.[statusCode];
  const declared = answer && completed(answer);
  return declared?.content ? declared.content[type]?.schema : declared;
}

/** By error code, so that a schema is not compiled twice. */
const problemAnswers = new Map<string, DeclaredAnswer>();

function completed(answer: DeclaredAnswer): DeclaredAnswer {
  if (!answer.codes) return answer;
  const key = [...answer.codes].join();
  const known = problemAnswers.get(key) ?? withCodes(answer);
  problemAnswers.set(key, known);
  return known;
}
