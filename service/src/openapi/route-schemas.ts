import { Problem } from '@berth/contract/problems';
import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { isSafe } from '../lib/methods.ts';
import { type ProblemCode, problems } from '../problems/problem.ts';
import { mediaTypes } from '../requests/bodies/bodies.ts';
import { type Place, placesOf } from '../requests/reference-places.ts';

const noFields = Type.Object({}, { additionalProperties: false });
const noBody = Type.Object(
  {},
  {
    additionalProperties: false,
    description: 'This request has no fields. The body may be omitted.',
    optionalBody: true,
  },
);
/** Some clients send `{}` with a DELETE. Fields are refused and not ignored: they are meant to change what is done. */
const emptyBody = Type.Object({}, { additionalProperties: false, undocumented: true });
const methodsWithBody = ['POST', 'PUT', 'PATCH'];

/**
 * Completes the schemas of a route with what is common to all: no unknown query parameters or
 * fields, and the problems that every route can return.
 */
export function completeSchema(route: RouteOptions): void {
  const schema = route.schema ?? {};
  const methods = [route.method].flat();
  const takesBody = methods.some((method) => methodsWithBody.includes(method));
  route.schema = {
    querystring: noFields,
    ...(methods.includes('DELETE') && { body: emptyBody }),
    ...(takesBody && { body: noBody, consumes: mediaTypes }),
    security: credentials(route.config?.scope),
    ...schema,
    ...described(route),
    response: { ...problemAnswers(route), ...(schema.response ?? {}) },
  };
}

const confirmation =
  'In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.';

/** The description of a route, and who may call it. */
function described({ config, schema }: RouteOptions): { description?: string } {
  const { description } = (schema ?? {}) as { description?: string };
  const sentences = [
    description,
    permission(config?.scope),
    config?.needsConfirmation ? confirmation : undefined,
  ].filter((sentence) => sentence !== undefined);
  return { description: sentences.join(' ') };
}

function permission(scope: string | undefined): string {
  if (scope === 'public') return 'This request needs no authentication.';
  if (scope === 'person') return 'This request requires a session.';
  return scope === undefined
    ? 'This request requires a token or a session.'
    : `This request requires the scope \`${scope}\`.`;
}

function credentials(scope: string | undefined): Record<string, string[]>[] {
  if (scope === 'public') return [];
  return scope === 'person' ? [{ session: [] }] : [{ token: [] }, { session: [] }];
}

function problemAnswers(route: RouteOptions): Record<number, unknown> {
  const { operationId } = (route.schema ?? {}) as { operationId?: string };
  // Only routes of tests have no name.
  const codes = new Set(operationId === undefined ? allCodes : problemsOf(route));
  const inOrder = allCodes.filter((code) => codes.has(code));
  const byStatus = Map.groupBy(inOrder, (code) => problems[code][0]);
  return Object.fromEntries([...byStatus].map(([status, kinds]) => [status, problemAnswer(kinds)]));
}

const allCodes = Object.keys(problems) as ProblemCode[];

/** The errors of a route: those it declares, and those of any route of its kind. */
function problemsOf({ config, method, url, schema }: RouteOptions): ProblemCode[] {
  const methods = [method].flat();
  const takesBody = methods.some((one) => methodsWithBody.includes(one));
  const changes = takesBody || methods.includes('DELETE');
  const isPublic = config?.scope === 'public';
  const query = (schema?.querystring ?? {}) as { properties?: object };
  const places = placesOf(schema);
  return [
    ...anyRoute,
    ...(config?.problems ?? []),
    ...places.flatMap((place) => notFoundIn(place)),
    ...(methods.some((one) => isSafe(one ?? '')) && !isPublic ? (['query_timeout'] as const) : []),
    ...('cursor' in (query.properties ?? {}) ? (['invalid_cursor'] as const) : []),
    ...(isPublic ? [] : credentialProblems),
    ...(config?.scope === 'person' ? (['person_required'] as const) : []),
    ...(config?.needsConfirmation ? (['confirmation_required'] as const) : []),
    ...(places.length > 0 ? (['ambiguous_name'] as const) : []),
    // A part of the path can be longer than any existing one.
    ...(url.includes(':') ? (['not_found'] as const) : []),
    ...(changes ? changeProblems : []),
    ...(changes && !isPublic ? (['csrf_failed'] as const) : []),
  ];
}

/** The 404 codes of the objects that the path of a request refers to. */
function notFoundIn(place: Place): ProblemCode[] {
  return place.part === 'params' && 'noun' in place ? [`${place.noun}_not_found`] : [];
}

const anyRoute = [
  'malformed_request',
  'not_acceptable',
  'misdirected_request',
  'validation_failed',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'unavailable',
] as const;

/** The requested project may also not exist. */
const credentialProblems = [
  'token_missing',
  'token_malformed',
  'token_invalid',
  'token_expired',
  'session_ended',
  'scope_missing',
  'network_not_allowed',
  'project_not_found',
] as const;

const changeProblems = [
  'idempotency_in_progress',
  'idempotency_mismatch',
  'body_too_large',
  'unsupported_media_type',
] as const;

const answers = new Map<string, ReturnType<typeof createAnswer>>();

/** The declared answer with these codes, which routes share: there are hundreds of routes, and each has a dozen. */
function problemAnswer(codes: ProblemCode[]) {
  const key = codes.join();
  const answer = answers.get(key) ?? createAnswer(codes);
  answers.set(key, answer);
  return answer;
}

function createAnswer(codes: ProblemCode[]) {
  const description = codes.map((code) => `${problems[code][1]} (\`${code}\`)`).join('. ');
  return { description, codes, content: { 'application/problem+json': { schema: Problem } } };
}

/**
 * The schema of an answer that `completeSchema` declared, for the document and for tests: a problem with one
 * of the codes of its route. Responses are serialised without this schema, which has the same result and compiles in
 * half the time.
 */
export function withCodes(answer: DeclaredAnswer): DeclaredAnswer {
  const { codes, ...declared } = answer;
  if (!codes) return answer;
  const code = Type.Enum([...codes], { type: 'string' });
  const schema = { allOf: [Problem, Type.Object({ code })] };
  return { ...declared, content: { 'application/problem+json': { schema } } };
}

export interface DeclaredAnswer {
  codes?: readonly ProblemCode[];
  content?: Record<string, { schema: object } | undefined>;
}
