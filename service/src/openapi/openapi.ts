import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import { Type } from 'typebox';
import { version } from '../version/build.ts';
import { completeAnswers, type Paths, sharedHeaders } from './openapi-answers.ts';
import { withCodes } from './route-schemas.ts';

const description = `Create, watch and control virtual servers.

Send a token with each request: \`Authorization: Bearer berth_…\`. Bodies are JSON or forms, answers
are JSON, and errors are problems (RFC 9457) with a \`code\` for programs and a \`detail\` for people.

## Operations

What takes time is done by an operation. Every answer to a request for one has the field \`operation\`
and the header \`Operation-Id\`:

| Answer | What it means | What to do |
| --- | --- | --- |
| 201 or 202, \`operation.status\` is \`pending\` or \`running\` | The request was accepted. | Ask \`GET /v1/operations/{id}\` until the status is another one. |
| 201 or 202, \`operation.status\` is \`succeeded\` | It is done. | |
| Problem with \`operation.status\` \`failed\` | The request was accepted, and the operation has failed: 409 for the state of the server or its guest, 502 for the engine, 503 for something out of reach or full. \`code\` says why. | Read \`detail\`, which says what to do. \`/v1/servers/{id}\` shows what there is now: a failed create leaves a server to retry or delete. |
| Problem with \`operation.status\` \`superseded\` | Another request, such as a delete, ended the operation. | |
| Problem without \`operation\` | The request was refused, and nothing was changed. | Mend what \`detail\` names, or wait for \`Retry-After\` seconds, and send it again. |
| \`operation_in_progress\` | The request was refused: \`operation\` is the one in the way. | Send it again when that has ended. |
| No answer, or 500 \`internal_error\` | Nobody knows whether it was accepted. | Send it again with the same \`Idempotency-Key\`. |

Without \`Prefer: wait\` the answer comes at once. With \`Prefer: wait=60\` it comes when the operation has
ended, or after 60 seconds; only such an answer can be the problem of a failed operation.

An \`Idempotency-Key\` makes it safe to send a POST again: the same key and request get the same answer
for 24 hours, and nothing is done twice. When a request that waited was told the end of its operation,
that becomes the answer, a failure as well as a success. To try again after a failure, use a new key.

## Limits

Memory is in MiB and disk in GiB, in powers of 1024, whatever a field is called; traffic and its
allowances are in bytes. Times are answered in UTC; those that are sent may have an offset, such as
\`2026-11-21T01:00:00+01:00\`.

A token may make so many reads (GET and HEAD) and so many actions (all else) a second. Dry runs, and
requests that are refused as invalid (400, 406, 413, 415, 422), count as reads. The headers
\`RateLimit\` and \`RateLimit-Policy\` of each answer say how many are left; a request beyond the limit
gets 429 with \`Retry-After\`.

## Names

Where an id is asked for, a name will do as well: a server's host name or UUID, a location's name, the
\`slug\` of an operating system, a project's name, the email address of a user, a token's name. Text that
is all digits is an id; text in the form of a UUID is a UUID; names of servers are looked up in the project
that the request is about, whatever the case of their letters. Where several have a name, the answer is 409
\`ambiguous_name\` with the \`candidates\`. Filters of lists take several values, with commas between. Lists
say in the header \`Total-Count\` how many there are, with \`Prefer: count=exact\`.

## People

People sign in (\`POST /v1/session\`) and get a cookie. With it, each request that changes something
also needs the header \`Berth-CSRF\`, with the \`csrf_token\` of \`GET /v1/session\`. The header
\`Berth-Project\` says which project a request is about, by its id or its name, for
who has several.`;

/** The OpenAPI document of the routes under `/v1`; `/api/v1` has the same ones. */
export const openApiOptions: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: { title: 'Berth', version, description, license: { name: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: [
      { name: 'Servers', description: 'Virtual servers and what can be done to them.' },
      { name: 'Operations', description: 'What was asked for, and what came of it.' },
      { name: 'Locations', description: 'Where servers can run.' },
      { name: 'Operating systems', description: 'What can be installed.' },
      { name: 'Projects', description: 'Whom servers belong to, and who is a member.' },
      { name: 'Tokens', description: 'What programs prove themselves with.' },
      { name: 'Sessions', description: 'Signing in and out, for people.' },
      { name: 'Users', description: 'People who can sign in. For administrators.' },
      { name: 'Settings', description: 'Of the whole installation. For administrators.' },
      { name: 'Health', description: 'Whether the service works, and what it measures.' },
    ],
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: '`berth_…`, made by `npm run token`.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-berth',
          description: 'Of a person who signed in; over http on loopback it is called `berth`.',
        },
      },
    },
  },
  transform: ({ schema, url, route }) => {
    if (!url.startsWith('/v1/') && url !== '/metrics') {
      return { schema: { ...schema, hide: true }, url };
    }
    const headers = headersOf([route.method].flat(), isList(schema));
    return { schema: { ...documented(schema), ...(headers && { headers }) }, url };
  },
  transformObject: (document) => {
    if (!('openapiObject' in document)) throw new Error('The document must be OpenAPI.');
    const { paths, components, ...rest } = document.openapiObject;
    const schemas: Record<string, object> = {};
    const sharedPaths = shareNamed(withCommas(paths ?? {}), schemas) as typeof paths;
    const responses = completeAnswers(sharedPaths as Paths);
    const named = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1));
    const shared = { responses, headers: sharedHeaders };
    const allComponents = { ...components, schemas: Object.fromEntries(named), ...shared };
    // The plugin's type is of three versions at once, which no one document can be.
    return { ...rest, components: allComponents, paths: sharedPaths } as SwaggerDocument;
  },
};

/** Without what is taken for a release only, and with the codes of problems. */
function documented(schema: FastifySchema): FastifySchema {
  const { querystring, response = {} } = schema as {
    querystring?: { properties?: object };
    response?: Record<string, object>;
  };
  const answers = Object.entries(response).filter(([, answer]) => !('undocumented' in answer));
  const properties = Object.entries(querystring?.properties ?? {});
  const shown = properties.filter(([, property]) => !('undocumented' in property));
  return {
    ...schema,
    querystring: { ...querystring, properties: Object.fromEntries(shown) },
    response: Object.fromEntries(answers.map(([status, answer]) => [status, withCodes(answer)])),
  };
}

type SwaggerDocument = ReturnType<NonNullable<FastifyDynamicSwaggerOptions['transformObject']>>;

interface DocumentedParameter {
  in?: string;
  schema?: { type?: unknown };
}

/** A filter of several values is written with commas (OpenAPI 3.1, "Style Values"). */
function withCommas(paths: object): object {
  const parts = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods as Record<string, { parameters?: DocumentedParameter[] }>).map(
        ([method, operation]) => [method, { ...operation, ...commaParameters(operation) }],
      ),
    ),
  ]);
  return Object.fromEntries(parts);
}

function commaParameters({ parameters }: { parameters?: DocumentedParameter[] }) {
  if (!parameters) return {};
  const style = { style: 'form', explode: false };
  return {
    parameters: parameters.map((one) =>
      one.in === 'query' && one.schema?.type === 'array' ? { ...one, ...style } : one,
    ),
  };
}

/** Whether a route answers page by page. */
function isList(schema: { querystring?: unknown } | undefined): boolean {
  const { properties = {} } = (schema?.querystring ?? {}) as { properties?: object };
  return 'limit' in properties && 'cursor' in properties;
}

/** For the document only: a preference or a key that can't be read is not for the schema to refuse. */
function headersOf(methods: string[], list: boolean) {
  if (list) {
    const description =
      '`count=exact`: say in the header `Total-Count` how many there are on all pages.';
    return Type.Object({
      Prefer: Type.Optional(Type.String({ description, examples: ['count=exact'] })),
    });
  }
  const preference = Type.Optional(
    Type.String({
      description: '`wait=N`: hold the answer up to N seconds (60 at most), until all is done.',
      examples: ['wait=30'],
    }),
  );
  const key = Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The same key and request get the first answer again, for 24 hours.',
      examples: ['4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55'],
    }),
  );
  if (methods.includes('POST')) return Type.Object({ 'Idempotency-Key': key, Prefer: preference });
  return methods.includes('DELETE') ? Type.Object({ Prefer: preference }) : undefined;
}

/** Of our own annotations; the descriptions say the same. */
const omitted = new Set(['explain', 'maxBytes', 'reference', 'referenceBy']);

/** Moves each schema that has a `title` to `schemas`, and refers to it where it was. */
function shareNamed(value: unknown, schemas: Record<string, object>): unknown {
  if (Array.isArray(value)) return value.map((part) => shareNamed(part, schemas));
  // What the plugin says where a schema has no description.
  if (value === 'Default Response') return 'What was asked for.';
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
