import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { problems } from '../problems/problem.ts';
import { readId } from '../requests/path-id.ts';

// Tests what the document says to generators of clients. `npm run check` ensures that it is current;
// incus-sim/tests/typed-client.long.test.ts tests a generated client.

interface Schema {
  $ref?: string;
  allOf?: Schema[];
  properties?: Record<string, Schema & { enum?: string[] }>;
  format?: string;
  pattern?: string;
  description?: string;
  examples?: string[];
}

interface Answer {
  content?: Record<string, { schema: Schema }>;
  headers: Record<string, object>;
}

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; description?: string; schema: Schema }[];
  requestBody?: { required: boolean };
  security?: object[];
  responses: Record<string, Answer | { $ref: string }>;
}

const file = new URL('../../../contract/openapi.json', import.meta.url);
const api = JSON.parse(readFileSync(file, 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: {
    responses: Record<string, Answer>;
    headers: object;
    schemas: Record<string, Schema>;
  };
};

const operations = Object.values(api.paths).flatMap((methods) => Object.values(methods));

function answerOf(operation: Operation, status: number): Answer {
  const answer = operation.responses[status];
  assert.ok(answer, `${operation.operationId} declares ${status}`);
  if (!('$ref' in answer)) return answer;
  const shared = api.components.responses[answer.$ref.replace('#/components/responses/', '')];
  assert.ok(shared, answer.$ref);
  return shared;
}

function codesOf(operation: Operation, status: number): string[] {
  const schema = answerOf(operation, status).content?.['application/problem+json']?.schema;
  assert.equal(schema?.allOf?.[0]?.$ref, '#/components/schemas/Problem');
  return schema?.allOf?.[1]?.properties?.code?.enum ?? [];
}

function operation(operationId: string): Operation {
  const found = operations.find((one) => one.operationId === operationId);
  assert.ok(found, operationId);
  return found;
}

describe('the document', () => {
  it('lists the codes of each problem under its status', () => {
    for (const one of operations) {
      const own = one.operationId === 'health_view' || one.operationId === 'health_ready';
      for (const status of Object.keys(one.responses).map(Number)) {
        if (status < 400 || (own && status === 503)) continue;
        const codes = codesOf(one, status);
        assert.ok(codes.length > 0, `${one.operationId} ${status}`);
        for (const code of codes) assert.equal(problems[code as keyof typeof problems][0], status);
      }
    }
  });

  it('lists only the codes that a route can return', () => {
    const stop = operation('server_stop');
    assert.ok(codesOf(stop, 409).includes('guest_ignored_shutdown'));
    assert.ok(!codesOf(stop, 409).includes('no_address_left'));
    assert.deepEqual(codesOf(operation('server_dry_run'), 409), [
      'name_taken',
      'ambiguous_name',
      'no_address_left',
      'no_capacity',
      'idempotency_in_progress',
      'image_server_not_allowed',
    ]);
    const mentioned = new Set(
      operations.flatMap((one) =>
        Object.keys(one.responses)
          .map(Number)
          .filter((status) => status >= 400 && !one.operationId.startsWith('health'))
          .flatMap((status) => codesOf(one, status)),
      ),
    );
    // This code belongs to no route.
    mentioned.add('method_not_allowed');
    // Those of the WebSocket of a console, which is no request of the document.
    for (const code of ['console_not_found', 'websocket_required']) mentioned.add(code);
    assert.deepEqual([...mentioned].sort(), Object.keys(problems).sort());
  });

  it('has a format for each timestamp', () => {
    const times: Schema[] = [];
    const visit = (part: unknown): void => {
      if (typeof part !== 'object' || part === null) return;
      const { pattern } = part as Schema;
      if (typeof pattern === 'string' && pattern.startsWith('^\\d{4}-\\d{2}-\\d{2}T')) {
        times.push(part as Schema);
      }
      Object.values(part).forEach(visit);
    };
    visit(api);
    assert.ok(times.length > 30);
    assert.ok(times.every(({ format }) => format === 'date-time'));
  });

  it('has the headers of responses', () => {
    const headersOf = (operationId: string, status: number) =>
      Object.keys(answerOf(operation(operationId), status).headers);
    for (const one of operations) {
      const limited = Object.keys(answerOf(one, 429).headers);
      for (const name of ['Retry-After', 'RateLimit', 'RateLimit-Policy', 'X-Request-Id']) {
        assert.ok(limited.includes(name), `${one.operationId}: ${name}`);
      }
      const isList = one.parameters?.some(({ name }) => name === 'cursor') ?? false;
      if (isList) assert.ok(headersOf(one.operationId, 200).includes('Link'), one.operationId);
    }
    assert.ok(headersOf('server_create', 201).includes('Location'));
    assert.ok(!headersOf('session_create', 201).includes('Location'));
    assert.ok(headersOf('image_import', 202).includes('Location'));
    assert.ok(!headersOf('server_stop', 202).includes('Location'));
    for (const status of [202, 409, 502, 503]) {
      assert.ok(headersOf('server_stop', status).includes('Operation-Id'));
    }
    assert.ok(headersOf('server_view', 200).includes('RateLimit'));
    assert.ok(headersOf('server_view', 401).includes('WWW-Authenticate'));
  });

  it('has the headers of requests exactly where they are used', () => {
    const withHeader = (header: string, words = /./) =>
      operations
        .filter(({ parameters = [] }) =>
          parameters.some(
            ({ name, description = '' }) => name === header && words.test(description),
          ),
        )
        .map(({ operationId }) => operationId)
        .sort();
    const named = (isIt: (method: string, one: Operation) => boolean) =>
      Object.values(api.paths)
        .flatMap((methods) => Object.entries(methods))
        .filter(([method, one]) => isIt(method, one))
        .map(([, { operationId }]) => operationId)
        .sort();
    const isSecured = ({ security = [] }: Operation) => security.length > 0;
    const changingNothing = ['server_dry_run', 'passkey_options'];
    const honourKeys = named(
      (method, one) =>
        method !== 'get' && isSecured(one) && !changingNothing.includes(one.operationId),
    );
    assert.deepEqual(withHeader('Idempotency-Key'), honourKeys);
    for (const name of ['server_delete', 'token_revoke', 'settings_update']) {
      assert.ok(honourKeys.includes(name), name);
    }
    // Only with a token: requests that require a session are not about a project.
    const ofProjects = named((_, { security = [] }) => security.some((one) => 'token' in one));
    assert.deepEqual(withHeader('Berth-Project'), ofProjects);
    const waiting = operations.filter(({ responses }) => '502' in responses);
    assert.deepEqual(
      withHeader('Prefer', /wait=N/),
      waiting.map(({ operationId }) => operationId).sort(),
    );
    const counted = withHeader('Prefer', /count=exact/);
    const withTotal = named(
      (_, one) => '200' in one.responses && 'Total-Count' in answerOf(one, 200).headers,
    );
    assert.ok(counted.includes('server_list'));
    assert.deepEqual(withTotal, counted);
  });

  it('says what identifies an object in a path, by a schema that all its paths share', () => {
    const inPath = operations.flatMap(({ parameters = [] }) =>
      parameters.filter(({ in: place, name }) => place === 'path' && /^(\w+_)?id$/.test(name)),
    );
    assert.ok(inPath.length > 40);
    const names = inPath.map(({ schema }) => String(schema.$ref).replace(/^.*\//, ''));
    assert.ok(!names.includes('undefined'));
    const { $ref } = operation('server_view').parameters?.[0]?.schema ?? {};
    assert.equal($ref, '#/components/schemas/ServerReference');
    for (const name of new Set(names)) {
      const { description = '', examples = [], pattern = '' } = api.components.schemas[name] ?? {};
      const isIdAlone = name.endsWith('Id');
      assert.match(description, isIdAlone ? /^The ID of an? / : /^The ID(,| or) \S+ .*of an? /);
      assert.equal(examples.length > 1, !isIdAlone, name);
      assert.equal(pattern !== '', isIdAlone, name);
      for (const text of ['1', '42', '9007199254740991', ...examples])
        assert.match(text, new RegExp(pattern), name);
      for (const text of isIdAlone ? ['0', '007', '-1', 'web-1', ''] : []) {
        assert.doesNotMatch(text, new RegExp(pattern), name);
        assert.equal(readId(text), undefined);
      }
    }
  });

  it('requires a body unless it is optional', () => {
    const isRequired = (name: string) => operation(name).requestBody?.required;
    for (const name of ['server_stop', 'server_move', 'server_start']) {
      assert.equal(isRequired(name), false, name);
    }
    for (const name of ['server_create', 'server_rebuild', 'session_confirm', 'settings_update']) {
      assert.equal(isRequired(name), true, name);
    }
  });

  it('has the members of problems that only some codes have', () => {
    const { properties = {} } = api.components.schemas.Problem ?? {};
    const members = 'candidates quota limit used asked lacking excluded nodes operation'.split(' ');
    for (const name of members) assert.ok(name in properties, name);
  });

  it('has the dry run as a separate path, not as a parameter', () => {
    const create = operation('server_create');
    assert.equal(api.paths['/v1/servers']?.post, create);
    assert.ok(!('200' in create.responses));
    assert.ok(!create.parameters?.some(({ name }) => name === 'dry_run'));
    assert.equal(api.paths['/v1/servers/dry-run']?.post, operation('server_dry_run'));
  });

  it('has the metrics', () => {
    const { content } = answerOf(operation('metrics_view'), 200);
    assert.equal(api.paths['/metrics']?.get, operation('metrics_view'));
    assert.deepEqual(Object.keys(content ?? {}), ['application/openmetrics-text', 'text/plain']);
  });
});
