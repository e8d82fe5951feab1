import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { App, Scope } from '../callers/app-types.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { routes } from '../routes.ts';
import { accessCases } from '../testing/access-cases.ts';
import {
  type AccessRoute,
  accessRoutes,
  askCase,
  type Method,
  requireCase,
} from '../testing/access-routes.ts';
import { createAccessWorld } from '../testing/access-world.ts';
import { createTestApp } from '../testing/app.ts';
import { fingerprintOf } from '../testing/fingerprint.ts';
import { signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { generateToken } from '../tokens/token.ts';

// Calls every route with every kind of token that is not allowed, and with one that is. access-roles.test.ts does so
// for users. The requests are derived from the declarations of the routes, except for those in access-cases.ts.

const { db, pool, close } = await createTestDatabase();
after(close);
const world = await createAccessWorld(db);
const metrics = createMetrics({ db, pools: { requests: pool } }, { ofServers: true });
const app: App = await createTestApp(db, [...routes], { metrics });
after(() => app.close());

const cases = await accessCases(world, app);
const matrix = accessRoutes(app);
const caseOf = (name: string) => requireCase(cases, name);
const ask = (name: string, method: Method, headers: object, path?: string) =>
  askCase(app, caseOf(name), { method, headers, path });

const nobody: [who: string, headers: object, code: string][] = [
  ['no token', {}, 'token_missing'],
  ['a malformed token', { authorization: 'Bearer berth_x' }, 'token_malformed'],
  ['an unknown token', { authorization: `Bearer ${generateToken()}` }, 'token_invalid'],
  ['an expired token', world.headers.expired, 'token_expired'],
  ['a revoked token', world.headers.revoked, 'token_invalid'],
];

const weaker: Record<Scope | 'person', (typeof world.headers)[keyof typeof world.headers][]> = {
  // No token is allowed on routes for signed-in users.
  person: [world.headers.read, world.headers.admin],
  'servers:read': [world.headers.metrics],
  'servers:write': [world.headers.read, world.headers.metrics],
  'metrics:read': [world.headers.read, world.headers.write],
  admin: [world.headers.read, world.headers.write, world.headers.metrics],
};

describe('a caller that is not allowed', () => {
  let untouched = '';
  before(async () => {
    untouched = await fingerprintOf(db);
  });
  after(async () => assert.equal(await fingerprintOf(db), untouched, 'nothing has changed'));

  for (const { name, method, scope } of matrix) {
    if (scope === 'public') continue;

    for (const [who, headers, code] of nobody) {
      it(`${name} with ${who}`, async () => {
        const answer = await ask(name, method, headers);
        assert.deepEqual([answer.statusCode, answer.json().code], [401, code]);
      });
    }

    it(`${name} with a weaker scope`, async () => {
      for (const headers of weaker[scope]) {
        const answer = await ask(name, method, headers);
        assert.deepEqual(
          [answer.statusCode, answer.json().code],
          [403, scope === 'person' ? 'person_required' : 'scope_missing'],
        );
      }
    });

    if (scope === 'person') continue;

    it(`${name} with an unknown project, or with that of others`, async () => {
      for (const id of [world.foreign.project, 999_999]) {
        const headers = { ...world.headers.write, 'berth-project': String(id) };
        const answer = await ask(name, method, headers);
        assert.deepEqual([answer.statusCode, answer.json().code], [404, 'project_not_found']);
      }
    });
  }
});

describe("another project's", () => {
  for (const { name, method } of matrix) {
    const { foreign, path } = caseOf(name);
    if (!foreign) continue;

    it(`${name} gets the same response as for an object that does not exist`, async () => {
      const foreignId = world.foreign[foreign];
      assert.ok(foreignId);
      const [theirs, nothing] = await Promise.all(
        [foreignId, 999_999].map(async (id) => {
          const at = path.replace(/\d+/, String(id));
          const answer = await ask(name, method, world.headers.write, at);
          const { request_id } = answer.json();
          const text = answer.body.replaceAll(request_id, 'REQUEST').replaceAll(String(id), 'ID');
          const { date: _, 'x-request-id': __, 'content-length': ___, ...headers } = answer.headers;
          return { status: answer.statusCode, text, headers };
        }),
      );
      assert.equal(theirs?.status, 404);
      assert.deepEqual(theirs, nothing);
    });
  }
});

const token: Record<AccessRoute['scope'], () => Promise<object> | object> = {
  person: async () => (await signInAs(app, world.credentials)).headers,
  'servers:read': () => world.headers.read,
  'servers:write': () => world.headers.write,
  'metrics:read': () => world.headers.metrics,
  admin: () => world.headers.admin,
  public: () => ({}),
};

/** The `operationId` of each operation for which openapi.json lists the header. */
function documentedWith(header: string): Set<string> {
  const file = new URL('../../../contract/openapi.json', import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string; parameters?: { name: string }[] }>>;
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const having = operations.filter(({ parameters = [] }) =>
    parameters.some(({ name }) => name === header),
  );
  return new Set(having.map(({ operationId }) => operationId));
}

describe('an Idempotency-Key', () => {
  const documented = documentedWith('Idempotency-Key');

  for (const { name, method, scope } of matrix) {
    if (!documented.has(name)) continue;

    it(`${name} checks it before it changes anything, as the documentation says`, async () => {
      const headers = { ...(await token[scope]()), 'idempotency-key': 'not readable' };
      const answer = await ask(name, method, headers);
      assert.equal(answer.statusCode, 400, answer.body);
      assert.match(answer.json().detail, /^The header Idempotency-Key must have/);
    });
  }
});

describe('who may', () => {
  for (const { name, method, scope } of matrix) {
    it(name, async () => {
      const { only } = caseOf(name);
      // No token has the role of an owner.
      const answer = await ask(name, method, await token[only ? 'admin' : scope]());
      assert.equal(answer.statusCode, caseOf(name).status, answer.body);
    });
  }
});
