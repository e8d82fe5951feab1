import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

// Tests that everything in the API reference has a description, and that values have an example unless their type shows
// one. `npm run check` also runs Spectral and Redocly on the document.

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  description?: string;
  examples?: unknown[];
  deprecated?: boolean;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

interface Value {
  description?: string;
  schema: Schema;
  example?: unknown;
  examples?: object;
}

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: (Value & { name: string })[];
  responses: Record<string, { $ref?: string; description?: string }>;
}

const file = new URL('../openapi.json', import.meta.url);
const api = JSON.parse(readFileSync(file, 'utf8')) as {
  info: { description: string };
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Operation['responses'];
    headers: Record<string, Value>;
  };
};
const operations = Object.values(api.paths).flatMap((methods) => Object.values(methods));

/** A sentence of at least three words, from a capital letter or code to a full stop. */
const isSentence = (text = '') => /^[A-Z`]\S* \S+ .*\.$/s.test(text);

const typesOf = ({ type = [] }: Schema) => [type].flat().filter((one) => one !== 'null');

/**
 * Text and numbers need an example. The types of booleans, of single words and of their lists show the possible values.
 */
function needsExample(schema: Schema): boolean {
  if (schema.enum !== undefined || schema.const !== undefined) return false;
  const types = typesOf(schema);
  if (types.includes('array')) return needsExample(schema.items ?? {});
  return types.some((type) => ['string', 'integer', 'number'].includes(type));
}

/** Each schema within one, with the path of fields to it. */
function partsOf(path: string, schema: Schema): [string, Schema][] {
  if (schema.$ref) return [[path, api.components.schemas[schema.$ref.replace(/^.*\//, '')] ?? {}]];
  const { properties = {}, items } = schema;
  // A part of an object only says which of its fields are required.
  const anyOf = schema.properties ? [] : (schema.anyOf ?? []);
  return [
    [path, schema],
    ...Object.entries(properties).flatMap(([name, part]) => partsOf(`${path}.${name}`, part)),
    ...(items ? partsOf(`${path}[]`, items) : []),
    ...anyOf.flatMap((part, index) => partsOf(`${path}|${index}`, part)),
  ];
}

const fields = Object.entries(api.components.schemas).flatMap(([name, one]) => partsOf(name, one));

const parameters = operations.flatMap(({ operationId, parameters = [] }) =>
  parameters.map((one) => [`${operationId} ${one.name}`, one] as const),
);

test('each tag is described, and each operation has one', () => {
  const undescribed = api.tags.filter(({ description }) => !isSentence(description));
  assert.deepEqual(undescribed, []);
  const names = new Set(api.tags.map(({ name }) => name));
  const untagged = operations.filter(({ tags = [] }) => !tags.some((tag) => names.has(tag)));
  assert.deepEqual(
    untagged.map(({ operationId }) => operationId),
    [],
  );
});

test('each operation and each response is described', () => {
  const undescribed = operations.flatMap(({ operationId, summary, description, responses }) => [
    ...(summary && isSentence(description) ? [] : [operationId]),
    ...Object.entries(responses)
      .filter(([, response]) => !response.$ref && !response.description)
      .map(([status]) => `${operationId} ${status}`),
  ]);
  assert.ok(operations.length > 80);
  assert.deepEqual(undescribed, []);
});

test('each parameter and header is described, with an example', () => {
  const values = [...parameters, ...Object.entries(api.components.headers)];
  const wrong = values.filter(([, { description, schema, example, examples }]) => {
    const isShown = (example ?? examples ?? schema.examples) !== undefined;
    return !isSentence(description) || (needsExample(schema) && !isShown);
  });
  assert.ok(values.length > 200);
  assert.deepEqual(
    wrong.map(([name]) => name),
    [],
  );
});

test('each field is described, with an example', () => {
  const undescribed = fields.filter(([, { description }]) => !isSentence(description));
  const unshown = fields.filter(
    ([, schema]) => !typesOf(schema).includes('array') && needsExample(schema) && !schema.examples,
  );
  assert.ok(fields.length > 400);
  assert.deepEqual(
    { undescribed: undescribed.map(([path]) => path), unshown: unshown.map(([path]) => path) },
    { undescribed: [], unshown: [] },
  );
});

test('each deprecated field says since when, and what to use', () => {
  const deprecated = fields.filter(([, schema]) => schema.deprecated);
  assert.deepEqual(deprecated.map(([path]) => path).sort(), [
    'Accepted.operation_id',
    'DriftAdopted.operation_id',
    'Node.state',
    'Operation.error.message',
    'Operation.servers[].state',
    'PasswordAccepted.operation_id',
    'Problem.message',
    'User.is_disabled',
    'UserUpdate.is_disabled',
  ]);
  const wordless = deprecated.filter(
    ([, { description = '' }]) =>
      !/^Deprecated since \d\S+: use `[\w.]+`, which /.test(description),
  );
  assert.deepEqual(wordless, []);
  const notSaid = fields.filter(
    ([, { description = '', deprecated: isMarked }]) =>
      !isMarked && /^Deprecated|^The same text as `/.test(description),
  );
  assert.deepEqual(notSaid, []);
});

/** The list of codes of each `code` that has one. */
function codesIn(part: unknown): unknown[] {
  if (typeof part !== 'object' || part === null) return [];
  const { code } = ((part as Schema).properties ?? {}) as Record<string, Schema | undefined>;
  return [...(code?.enum ?? []), ...Object.values(part).flatMap(codesIn)];
}

test('each code of an error is explained', () => {
  const rows = Array.from(
    api.info.description.matchAll(/^\| `(\w+)` \| \d{3} \| (.*) \| (.*) \|$/gm),
    ([, code, cause, action]) => ({ code, isExplained: isSentence(cause) && isSentence(action) }),
  );
  const explained = new Set(rows.filter(({ isExplained }) => isExplained).map(({ code }) => code));
  const codes = new Set(codesIn(api));
  assert.ok(codes.size > 80);
  assert.deepEqual(
    [...codes].filter((code) => !explained.has(String(code))),
    [],
  );
});
