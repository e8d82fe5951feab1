import type { Annotations } from '@berth/contract/values';
import { Type } from 'typebox';
import type { ProblemCode } from '../problems/problem.ts';

// Parts of the OpenAPI document for requests, in addition to their schemas: headers, and whether a
// body is required.

/** The properties of a route that determine its headers. */
interface HeaderRoute {
  methods: string[];
  scope: string | undefined;
  operationId: string | undefined;
  /** Whether it returns pages. */
  isList: boolean;
  /** The errors that it declares. */
  problems?: readonly ProblemCode[];
}

const text = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example] }));

const project = text(
  'The ID or the name of the project that the request is about, for administrators and for users with several ' +
    'projects. By default it is the project of the token, or the first project of the user.',
  'web',
);
const count = text(
  'With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.',
  'count=exact',
);
const wait = text(
  'With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.',
  'wait=30',
);
const lastEvent = text(
  'For a stream: the `id` of the last event that was received. The stream begins after it. It takes precedence over ' +
    '`after`.',
  '1024',
);
const key = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 255,
    description:
      'A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.',
    examples: ['4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55'],
  }),
);

/** Whatever their methods, they change nothing, so no response is stored. */
const changingNothing = ['server_dry_run', 'passkey_options'];

/** Used only in the document: the schema does not refuse an unreadable preference or key. */
export function headersOf(route: HeaderRoute) {
  const { methods, scope, operationId = '', isList, problems = [] } = route;
  const changes = methods.some((one) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(one));
  const isPublic = scope === 'public';
  const headers = {
    // Public routes, and those about a person, are not about a project.
    ...(!isPublic && scope !== 'person' && { 'Berth-Project': project }),
    // Answers are stored per caller, who is unknown on a public route.
    ...(changes &&
      !isPublic &&
      !changingNothing.includes(operationId) && { 'Idempotency-Key': key }),
    ...(isList && { Prefer: count }),
    ...(problems.includes('operation_failed') && { Prefer: wait }),
    ...(problems.includes('events_gone') && { 'Last-Event-ID': lastEvent }),
  };
  return Object.keys(headers).length > 0 ? Type.Object(headers) : undefined;
}

interface DocumentedBody {
  content?: Record<string, { schema?: Pick<Annotations, 'optionalBody'> }>;
}

/** The plugin requires each body. */
export function bodyOf(body: DocumentedBody) {
  const isOptional = Object.values(body.content ?? {}).some(({ schema }) => schema?.optionalBody);
  return { ...body, required: !isOptional };
}
