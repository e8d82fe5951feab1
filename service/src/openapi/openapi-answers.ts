import type { ProblemCode } from '../problems/problem.ts';

// Parts of the OpenAPI document for answers, in addition to their schemas: headers, and common
// errors.

interface Response {
  description: string;
  content?: Record<
    string,
    { schema: { allOf?: { properties?: { code?: { enum: string[] } } }[] } }
  >;
  headers?: Record<string, object>;
}

/** An operation of OpenAPI: a method of a path. */
interface Method {
  parameters?: { name: string; in: string }[];
  security?: object[];
  responses: Record<string, Response | { $ref: string }>;
}

export type Paths = Record<string, Record<string, Method>>;

const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
});
const integer = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0, examples: [example] },
});

/** Headers with their names in `components`. */
export const sharedHeaders = {
  'Idempotency-Replayed': {
    description:
      'Present if this is the response to an earlier request with the same `Idempotency-Key`. The value is `true`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Last-Event-ID': text(
    'Of a list: the ID of the last event when it was read. Send it as `after` to go on from there, even if the list is empty; of several pages, that of the last one.',
    '1024',
  ),
  Link: text(
    'The URL of the next page, with `rel="next"` (RFC 8288). Absent on the last page, and without `limit`.',
    '</v1/servers?limit=100&cursor=eyJ2IjoxMDB9>; rel="next"',
  ),
  Location: text('The path of the new object, or of the image that is imported.', '/v1/servers/42'),
  'Operation-Id': integer(
    'The ID of the operation that carries out the request. `GET /v1/operations/{id}` returns it.',
    7,
  ),
  'Preference-Applied': text(
    'The preference of the header `Prefer` that was applied: the response waited for the operation, or has `Total-Count`.',
    'wait=75',
  ),
  RateLimit: text(
    'The number of requests that the caller has left (`r`), and the seconds after which all are available again if it sends none (`t`).',
    '"reads";r=199;t=1',
  ),
  'RateLimit-Policy': text(
    'The rate limit that the request counted towards: the number of requests that can be sent at once (`q`), and the seconds in which they become available again (`w`).',
    '"reads";q=200;w=2',
  ),
  'Retry-After': integer('The number of seconds after which the request can be sent again.', 2),
  'Total-Count': integer(
    'The number of objects on all pages. Present if the request has `Prefer: count=exact`.',
    250,
  ),
  'WWW-Authenticate': text('How to authenticate (RFC 6750).', 'Bearer realm="berth"'),
  'X-Request-Id': text(
    'The ID of the request, as it appears in the logs. To choose it, send this header with 1 to 64 letters, digits, `.`, `_` and `-`.',
    '1c9f0d1e-52a4-4c35-a2a5-3f6f0f0b4f0a',
  ),
};

type HeaderName = keyof typeof sharedHeaders;

/** Codes of problems that come with `Retry-After`. */
const retried: readonly string[] = [
  'idempotency_in_progress',
  'operation_in_progress',
  'query_timeout',
  'rate_limited',
  'unavailable',
] satisfies ProblemCode[];

/** Adds the headers to each response. Responses with a single code, which many routes have, are shared components. */
export function completeAnswers(paths: Paths): Record<string, Response> {
  const shared: Record<string, Response> = {};
  for (const [path, methods] of Object.entries(paths)) {
    for (const [verb, method] of Object.entries(methods)) {
      for (const [status, response] of Object.entries(method.responses)) {
        if ('$ref' in response) continue;
        const made = verb === 'post' && isShown(paths, path);
        const names = headerNames(Number(status), response, { made, verb, method });
        response.headers = Object.fromEntries(
          names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
        );
        const codes = codesOf(response);
        const [code] = codes;
        if (code === undefined || codes.length > 1) continue;
        const name = code.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
        shared[name] = response;
        method.responses[status] = { $ref: `#/components/responses/${name}` };
      }
    }
  }
  return Object.fromEntries(Object.entries(shared).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether the created object can be read afterwards. */
function isShown(paths: Paths, path: string): boolean {
  return Object.entries(paths).some(
    ([other, methods]) =>
      other.replace(/\/\{\w+\}$/, '') === path && other !== path && 'get' in methods,
  );
}

/** The codes of a problem; empty for any other response. */
function codesOf({ content }: Response): string[] {
  const { schema } = content?.['application/problem+json'] ?? {};
  return schema?.allOf?.flatMap(({ properties }) => properties?.code?.enum ?? []) ?? [];
}

function headerNames(
  status: number,
  response: Response,
  { made, verb, method }: { made: boolean; verb: string; method: Method },
): HeaderName[] {
  const { parameters = [], security = [], responses } = method;
  const codes = codesOf(response);
  const isGood = status < 300;
  const takes = (header: string) => parameters.some(({ name }) => name === header);
  const isList = takes('cursor');
  const isCounted = isGood && verb === 'get' && takes('Prefer');
  // Only what an operation can fail with is a 502.
  const isOperation = '502' in responses;
  const isOutcome = isOperation && (isGood || [409, 502, 503].includes(status));
  const names: [HeaderName, boolean][] = [
    ['X-Request-Id', true],
    // What is accepted and is no operation is followed there.
    ['Location', (made && status === 201) || (status === 202 && !isOperation)],
    ['Last-Event-ID', isGood && takes('Last-Event-ID')],
    ['Link', isGood && isList],
    ['Operation-Id', isOutcome],
    ['Preference-Applied', isOutcome || isCounted],
    ['Total-Count', isCounted],
    ['Idempotency-Replayed', takes('Idempotency-Key') && (isGood || isOutcome)],
    ['RateLimit', status === 429 || (isGood && security.length > 0)],
    ['RateLimit-Policy', status === 429 || (isGood && security.length > 0)],
    ['Retry-After', codes.some((code) => retried.includes(code))],
    ['WWW-Authenticate', status === 401],
  ];
  return names.filter(([, isThere]) => isThere).map(([name]) => name);
}
