import { type Noun, type Section, sections } from '@berth/contract/nouns';
import { referenceSchema } from '@berth/contract/references';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import { explanations } from '../problems/explanations.ts';
import { type ProblemCode, problems } from '../problems/problem.ts';
import { version } from '../version/build.ts';
import { completeAnswers, type Paths, sharedHeaders } from './openapi-answers.ts';
import { bodyOf, headersOf } from './openapi-requests.ts';
import { withCodes } from './route-schemas.ts';

const description = `The API of Berth creates, manages and monitors virtual servers.

Authenticate each request with a token, in the header \`Authorization: Bearer berth_…\`. Request bodies are JSON or
forms, responses are JSON, and errors are problems (RFC 9457) with a \`code\` for programs and a \`detail\` for people.

## Terms

A **server** is a virtual server. It is an instance of Incus: a system container. The operating system that runs in it
is its **guest**. A server runs on a **node**, which is a machine of a **location**. A location is an Incus server or
cluster, which is also called its **engine**. Servers belong to **projects**, which are isolated from each other.

## Operations

Changes that take time are carried out by an operation. Each response to a request for such a change has the field
\`operation\` and the header \`Operation-Id\`:

| Response | Meaning | What to do |
| --- | --- | --- |
| 201 or 202, \`operation.status\` is \`pending\` or \`running\` | The request was accepted. | Poll \`GET /v1/operations/{id}\` until the status changes to another one. |
| 201 or 202, \`operation.status\` is \`succeeded\` | The change is done. | Nothing has to be done. |
| Problem, \`operation.status\` is \`failed\` | The request was accepted, and the operation failed. \`code\` says why: 409 for the state of the server or its guest, 502 for the engine, 503 for something that cannot be reached or is full. | Read \`detail\`, which says what to do. \`GET /v1/servers/{id}\` returns the state of the server: a creation that failed leaves a server to retry or delete. |
| Problem, \`operation.status\` is \`superseded\` | Another request, such as a delete, took the place of the operation. | Get the server, and send the request again if it is still needed. |
| Problem, \`operation.status\` is \`cancelled\` | The operation was cancelled with \`POST /v1/operations/{id}/cancel\` before it had an effect. | Send the request again if it is still needed. |
| Problem without \`operation\` | The request was refused, and nothing was changed. | Correct what \`detail\` names, or wait for \`Retry-After\` seconds, and send the request again. |
| Problem \`operation_in_progress\` | The request was refused. \`operation\` is the operation that is in progress. | Send the request again when that operation has ended. |
| Problem \`not_cancellable\` or \`operation_ended\` | \`operation\` cannot be cancelled. It goes on, or has ended. | Nothing has to be done. |
| No response, or 500 \`internal_error\` | It is not known whether the request was accepted. | Send the request again with the same \`Idempotency-Key\`. |

\`POST /v1/servers/actions\` carries out an action on several servers, each with an operation of its own. Its response is
200, with the \`operation\` of each server that accepted the action, and the \`problem\` of each that refused it.

Without \`Prefer: wait\`, the response comes at once. With \`Prefer: wait=75\`, it comes when the operation has ended, or
after 75 seconds, which is the longest wait. Only such a response can be the problem of an operation that failed.

An \`Idempotency-Key\` makes it safe to send a request again that changes something. For 24 hours, the same request with
the same key gets the same response, and nothing is done twice. If a request waited for its operation, the outcome of the
operation becomes the response, whether it succeeded or failed. To try again after a failure, use a new key. A refusal
is not stored: the same request with the same key is then tried anew.

Conditional requests are not supported: the headers \`If-Match\` and \`If-Unmodified-Since\` are ignored.

## Units and times

Memory is measured in MiB and disk space in GiB, both based on powers of 1024. Traffic and traffic allowances are measured
in bytes. Times in responses are in UTC (RFC 3339). Times in requests may have an offset, such as
\`2026-11-21T01:00:00+01:00\`.

## Rate limits

A token has a limit of reads (GET and HEAD) and a limit of actions (all other requests) per second. Dry runs count as reads,
except those of actions on several servers, and so do requests that are refused as invalid (400, 406, 413, 415 and 422),
unless no reads are left. The headers \`RateLimit\` and \`RateLimit-Policy\` of each response say how many requests are left. Requests beyond the limit
get 429 with \`Retry-After\`.

## Query parameters and forms

A boolean in the query or in a form is \`true\`, \`1\` or \`on\`, or \`false\`, \`0\` or \`off\`, in lowercase. In JSON it is
\`true\` or \`false\`. A query parameter can be given only once, unless it accepts several values: these are separated by
commas (\`status=started,stopped\`), or the parameter is repeated (\`status=started&status=stopped\`).

A list in a form is a field for each item, such as \`initialCommands[]\`, and an object is a field for each member, such as
\`labels[env]\`. Forms have no null: to send it, use JSON.

## IDs and names

Wherever an ID is expected, a name can be given as well: the host name or the UUID of a server, the name of a location, a
node, a size, a project, a token or an SSH key, the \`slug\` of an operating system, or the email address of a user or member. A
value of only digits is an ID, and a value in the form of a UUID is a UUID. New names therefore can have neither form.
Names of servers, tokens and SSH keys are looked up in the project that the request is about. The case of names is
ignored; if several differ only in case, the one that matches exactly is meant. If several objects have the name, the
response is 409 \`ambiguous_name\` with the \`candidates\`.

## Lists

A list returns all objects by default. With \`limit\`, it returns a page, and the header \`Link\` has the URL of the next
one. Filters accept several values, separated by commas. With \`Prefer: count=exact\`, the header \`Total-Count\` has the
number of objects on all pages.

## Users

Users sign in with \`POST /v1/session\` and get a session cookie. In a session, each request other than GET and HEAD, also
a dry run, needs the header \`Berth-CSRF\`, with the \`csrf_token\` of \`GET /v1/session\`. Users with several projects,
and administrators, send the header \`Berth-Project\`, with the ID or the name of the project that the request is about.

## Errors

Each error has one of these codes. The field \`detail\` of the response says what went wrong this time.

${errorTable()}`;

/** A Markdown table with each code, its status, its cause and what to do. */
function errorTable(): string {
  const codes = Object.keys(problems) as ProblemCode[];
  const rows = codes.map((code) => {
    const [when, action] = explanations[code];
    return `| \`${code}\` | ${problems[code][0]} | ${when} | ${action} |`;
  });
  return ['| Code | Status | Cause | What to do |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

/** The sections of the reference that are not about one noun. */
const otherSections: Section[] = [
  {
    name: 'Sessions',
    description: 'Sign in and out, and manage sessions, passkeys and your own password.',
  },
  {
    name: 'Events',
    description: 'Follow changes of servers, operations and nodes as they happen, or list them.',
  },
  {
    name: 'Audit',
    description: 'See who changed what and when, and which requests were refused.',
  },
  {
    name: 'Settings',
    description: 'Manage the settings of the whole installation. For administrators.',
  },
  {
    name: 'Health',
    description: 'Monitor the service itself: its health, version and metrics.',
  },
];

/** The OpenAPI document of the routes under `/v1`; `/api/v1` has the same ones. */
export const openApiOptions: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Berth',
      version,
      description,
      contact: { name: 'The operator of this installation' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...sections, ...otherSections],
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A token in the form `berth_…`. `POST /v1/tokens` creates one, and so does `npm run token` on the command line.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-berth',
          description:
            'The session cookie of a user who signed in. Over http on a loopback address it is named `berth`.',
        },
      },
    },
  },
  transform: ({ schema, url, route }) => {
    if (!url.startsWith('/v1/') && url !== '/metrics') {
      return { schema: { ...schema, hide: true }, url };
    }
    const headers = headersOf({
      methods: [route.method].flat(),
      scope: route.config?.scope,
      operationId: (schema as { operationId?: string } | undefined)?.operationId,
      isList: isList(schema),
      problems: route.config?.problems ?? [],
    });
    return { schema: { ...documented(schema), ...(headers && { headers }) }, url };
  },
  transformObject: (document) => {
    if (!('openapiObject' in document)) throw new Error('The document must be OpenAPI.');
    const { paths, components, ...rest } = document.openapiObject;
    const schemas: Record<string, object> = {};
    const sharedPaths = shareNamed(completeRequests(paths ?? {}), schemas) as typeof paths;
    const responses = completeAnswers(sharedPaths as Paths);
    const named = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1));
    const shared = { responses, headers: sharedHeaders };
    const allComponents = { ...components, schemas: Object.fromEntries(named), ...shared };
    // The type of the plugin combines three versions, and no document can match it.
    const tags = rest.tags?.toSorted(byFirstUse(paths ?? {}));
    const whole = { ...rest, components: allComponents, ...(tags && { tags }), paths: sharedPaths };
    return whole as SwaggerDocument;
  },
};

/** The tags in the order in which the routes use them. */
function byFirstUse(paths: object) {
  const ofApi = Object.entries(paths).filter(([path]) => path.startsWith('/v1/'));
  const used = ofApi.flatMap(([, methods]) =>
    Object.values(methods as Record<string, { tags?: string[] }>).flatMap(({ tags = [] }) => tags),
  );
  return (a: { name: string }, b: { name: string }) => used.indexOf(a.name) - used.indexOf(b.name);
}

/** Omits what is accepted only for older or lenient clients, and adds the codes of problems. */
function documented(schema: FastifySchema): FastifySchema {
  const {
    body,
    querystring,
    response = {},
    ...others
  } = schema as {
    body?: object;
    querystring?: { properties?: object };
    response?: Record<string, object>;
  };
  const answers = Object.entries(response).filter(([, answer]) => !('undocumented' in answer));
  const properties = Object.entries(querystring?.properties ?? {});
  const shown = properties.filter(([, property]) => !('undocumented' in property));
  return {
    ...others,
    ...(body && !('undocumented' in body) && { body }),
    querystring: { ...querystring, properties: Object.fromEntries(shown) },
    response: Object.fromEntries(answers.map(([status, answer]) => [status, withCodes(answer)])),
  };
}

type SwaggerDocument = ReturnType<NonNullable<FastifyDynamicSwaggerOptions['transformObject']>>;

interface DocumentedParameter {
  in?: string;
  schema?: { type?: unknown; reference?: Noun };
}

interface DocumentedOperation {
  parameters?: DocumentedParameter[];
  requestBody?: object;
}

/** Adds what the plugin does not know about parameters and bodies. */
function completeRequests(paths: object): object {
  const parts = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods as Record<string, DocumentedOperation>).map(([method, operation]) => [
        method,
        {
          ...operation,
          ...completeParameters(operation),
          ...(operation.requestBody && { requestBody: bodyOf(operation.requestBody) }),
        },
      ]),
    ),
  ]);
  return Object.fromEntries(parts);
}

function completeParameters({ parameters }: DocumentedOperation) {
  return parameters ? { parameters: parameters.map(completeParameter) } : {};
}

function completeParameter(one: DocumentedParameter): DocumentedParameter {
  const { schema: { type, reference } = {} } = one;
  if (one.in === 'path' && reference) return { ...one, schema: referenceSchema(reference) };
  // A filter with several values is separated by commas (OpenAPI 3.1, "Style Values").
  const isFilter = one.in === 'query' && type === 'array';
  return isFilter ? { ...one, ...{ style: 'form', explode: false } } : one;
}

/** Whether a route returns pages. */
function isList(schema: { querystring?: unknown } | undefined): boolean {
  const { properties = {} } = (schema?.querystring ?? {}) as { properties?: object };
  return 'limit' in properties && 'cursor' in properties;
}

/**
 * Our own annotations, and `prefixItems`, from which generators make an array of a fixed length. The
 * descriptions contain them.
 */
const omitted = new Set([
  ...['explain', 'maxBytes', 'optionalBody', 'reference', 'referenceBy'],
  'prefixItems',
]);

/** Moves each schema with a `title` to `schemas`, and replaces it by a reference. */
function shareNamed(value: unknown, schemas: Record<string, object>): unknown {
  if (Array.isArray(value)) return value.map((part) => shareNamed(part, schemas));
  // The default description of the plugin.
  if (value === 'Default Response') return 'The request succeeded.';
  if (typeof value !== 'object' || value === null) return value;
  const shared = Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !omitted.has(key))
      .map(([key, part]) => [key, shareNamed(part, schemas)]),
  );
  const { title } = shared;
  if (typeof title !== 'string') return shared;
  schemas[title] = shared;
  return { $ref: `#/components/schemas/${title}` };
}
