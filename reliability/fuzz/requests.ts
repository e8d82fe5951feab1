import fc from 'fast-check';
import { type Schema, valueFor } from './values.ts';

/** The part of OpenAPI 3.1 that is read here. */
export interface OpenApi {
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Record<string, object> };
}

interface OpenApiOperation {
  operationId: string;
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** A request whose ids are chosen when it is sent, from those that are known then. */
export interface PlannedRequest {
  operationId: string;
  method: string;
  path: string;
  query: Record<string, unknown>;
  body: unknown;
  who: number;
  /** The index of a known id. A larger index stands for an unknown id. */
  id: number;
  headers: Record<string, string>;
}

/** Generates requests from the OpenAPI document of the API. */
export function plannedRequests(api: OpenApi): fc.Arbitrary<PlannedRequest> {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters, requestBody }]) => {
      // Responses are validated against the schemas of the routes.
      const sent = { operationId, parameters, requestBody };
      return requestOf(path, method, resolved(sent, api.components.schemas) as OpenApiOperation);
    }),
  );
  return fc.oneof(...operations);
}

/** Replaces each `$ref` by its schema. No schema of the API contains itself. */
function resolved(part: unknown, schemas: Record<string, object>): unknown {
  if (Array.isArray(part)) return part.map((item) => resolved(item, schemas));
  if (typeof part !== 'object' || part === null) return part;
  if ('$ref' in part) {
    const name = String(part.$ref).replace('#/components/schemas/', '');
    if (!schemas[name]) throw new Error(`The OpenAPI document has no schema ${name}.`);
    return resolved(schemas[name], schemas);
  }
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, resolved(value, schemas)]),
  );
}

const headers: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('a', 'b', 'c').map((key) => ({ 'idempotency-key': key })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { 'berth-project': '1' },
      { 'berth-project': '0' },
      { 'berth-project': 'abc' },
      { 'berth-project': 'default' },
      { prefer: 'count=exact' },
      { accept: 'text/html' },
      { prefer: 'wait=x' },
      { 'idempotency-key': 'ä' },
      { 'content-type': 'text/plain' },
    ),
  },
);

function requestOf(path: string, method: string, operation: OpenApiOperation) {
  const { operationId, parameters = [], requestBody } = operation;
  const asked = parameters.filter((parameter) => parameter.in === 'query');
  const query = Object.fromEntries(asked.map(({ name, schema }) => [name, valueFor(schema)]));
  const schema = requestBody?.content['application/json']?.schema;
  return fc.record<PlannedRequest>({
    operationId: fc.constant(operationId),
    method: fc.constant(method.toUpperCase()),
    path: fc.constant(path),
    query: fc.record(query, { requiredKeys: [] }),
    body: schema ? valueFor(schema) : fc.constant(undefined),
    who: fc.nat(),
    id: fc.nat({ max: 40 }),
    headers,
  });
}

const strangeIds = [
  'entered',
  'default',
  'test',
  'debian-12',
  '0',
  '-1',
  '1e3',
  'abc',
  '9223372036854775808',
  '%00',
  '...',
  '1%2F2',
  '١',
];

const parameterText = (value: unknown) =>
  typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value);

/** The path with ids, mostly known ones, chosen by the name of the parameter. */
export function pathOf(
  { path, id }: PlannedRequest,
  known: Record<string, readonly (number | string)[]>,
): string {
  const strange = strangeIds[id % strangeIds.length] ?? '0';
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const ids = known[name] ?? [];
    return String(id < 32 && ids.length > 0 ? ids[id % ids.length] : strange);
  });
}

/** The query, such as `?a=1&b=x`, with commas in lists and with objects as JSON; empty if there are no parameters. */
export function queryText(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(parameterText).join(',') : parameterText(value),
  ]);
  const text = new URLSearchParams(pairs as [string, string][]).toString();
  return text === '' ? '' : `?${text}`;
}
