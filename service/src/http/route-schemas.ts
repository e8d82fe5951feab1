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
  const isPublic = route.config?.scope === 'public';
  route.schema = {
    querystring: noFields,
    ...(takesBody && { body: noFields, consumes: mediaTypes }),
    security: isPublic ? [] : [{ token: [] }],
    ...schema,
    response: { ...commonProblems(route, takesBody), ...(schema.response ?? {}) },
  };
}

function commonProblems(route: RouteOptions, takesBody: boolean): Record<number, unknown> {
  const statuses = [400, 406, 421, 422, 429, 431, 500, 503];
  // 404 also for the project that a request names.
  if (route.config?.scope !== 'public') statuses.push(401, 403, 404);
  if (takesBody) statuses.push(409, 413, 415);
  if ([route.method].flat().includes('DELETE')) statuses.push(409, 413, 415);
  return Object.fromEntries(statuses.map((status) => [status, problemAnswer(status)]));
}

/** A problem as a route's answer, with the codes that go with the status. */
function problemAnswer(status: number) {
  const kinds = Object.entries(problems).filter(([, [known]]) => known === status);
  const description = kinds.map(([code, [, title]]) => `${title} (\`${code}\`)`).join('. ');
  return { description, content: { 'application/problem+json': { schema: Problem } } };
}
