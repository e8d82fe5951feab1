import { Problem } from '@berth/contract/problems';
import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { problems } from '../problem.ts';
import { mediaTypes } from './bodies.ts';

const noFields = Type.Object({}, { additionalProperties: false });
const methodsWithBody = ['POST', 'PUT', 'PATCH'];

/**
 * Completes what a route declares with what holds for all: no unknown query parameters or fields,
 * and the problems that any of them can answer with.
 */
export function completeSchema(route: RouteOptions): void {
  const schema = route.schema ?? {};
  const takesBody = [route.method].flat().some((method) => methodsWithBody.includes(method));
  route.schema = {
    querystring: noFields,
    ...(takesBody && { body: noFields, consumes: mediaTypes }),
    security: credentials(route.config?.scope),
    ...schema,
    ...described(route),
    response: { ...commonProblems(route), ...(schema.response ?? {}) },
  };
}

const confirmation =
  'In a session only within ten minutes after it was begun or confirmed (`POST /v1/session/confirm`).';

function described({ config, schema }: RouteOptions): { description?: string } {
  if (!config?.needsConfirmation) return {};
  const { description = '' } = (schema ?? {}) as { description?: string };
  return { description: `${description} ${confirmation}`.trim() };
}

function credentials(scope: string | undefined): Record<string, string[]>[] {
  if (scope === 'public') return [];
  return scope === 'person' ? [{ session: [] }] : [{ token: [] }, { session: [] }];
}

function commonProblems({ config, method, url }: RouteOptions): Record<number, unknown> {
  const methods = [method].flat();
  const takesBody = methods.some((one) => methodsWithBody.includes(one));
  const isPublic = config?.scope === 'public';
  const statuses = [400, 406, 421, 422, 429, 431, 500, 503];
  // What is public and changes something is a sign-in, which can fail.
  if (!isPublic || takesBody || config?.canRefuse) statuses.push(401, 403);
  // The project that is asked for need not be there, nor what is set up by choice.
  if (!isPublic || config?.canRefuse || url.includes(':')) statuses.push(404);
  if (takesBody || methods.includes('DELETE')) statuses.push(409, 413, 415);
  const isPossible = (code: string) =>
    code !== 'confirmation_required' || config?.needsConfirmation;
  const codes = Object.entries(problems).filter(([code]) => isPossible(code));
  return Object.fromEntries(statuses.map((status) => [status, problemAnswer(status, codes)]));
}

/** A problem as a route's answer, with the codes that go with the status. */
function problemAnswer(status: number, codes: [string, readonly [number, string]][]) {
  const kinds = codes.filter(([, [known]]) => known === status);
  const description = kinds.map(([code, [, title]]) => `${title} (\`${code}\`)`).join('. ');
  return { description, content: { 'application/problem+json': { schema: Problem } } };
}
