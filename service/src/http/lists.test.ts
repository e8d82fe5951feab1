import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { routes } from '../routes.ts';
import { accessCases } from '../testing/access-cases.ts';
import { createAccessWorld } from '../testing/access-world.ts';
import { createTestApp } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { placeOf } from '../testing/probe.ts';

// Tests every route that returns a list, according to its schema.

const { db, close } = await createTestDatabase();
after(close);
const world = await createAccessWorld(db);
const app = await createTestApp(db, [...routes]);
after(() => app.close());
const cases = await accessCases(world, app);
const user = await createTestUser(db, { isAdmin: true });
const { headers } = await signInAs(app, user.credentials);
await signInAs(app, user.credentials);

interface Filter {
  type?: string;
  enum?: unknown[];
  reference?: string;
  items?: Filter;
}

interface RouteSchema {
  operationId: string;
  querystring?: { properties: Record<string, Filter> };
  response?: { 200?: { type?: string } };
}

const lists = app.knownRoutes
  .filter(({ options }) => options.url.startsWith('/v1/') && options.method === 'GET')
  .map(({ options }) => options.schema as RouteSchema)
  .filter(({ response }) => response?.[200]?.type === 'array');

const ask = (operationId: string, query: string) =>
  inject(app, { url: `/v1${cases[operationId]?.path}${query}`, headers });

/** Whether a filter accepts only known values: some words, or references to existing objects. */
const isOfKnown = ({ type, enum: words, reference, items }: Filter): boolean =>
  type === 'boolean' ||
  words !== undefined ||
  reference !== undefined ||
  (!!items && isOfKnown(items));

describe('a list', () => {
  assert.ok(lists.length >= 13);
  for (const { operationId, querystring } of lists) {
    it(`returns the number of objects in all pages: ${operationId}`, async () => {
      const url = `/v1${cases[operationId]?.path}`;
      const counted = { ...headers, prefer: 'count=exact' };
      const all = await inject(app, { url, headers });
      const page = await inject(app, { url: `${url}?limit=1`, headers: counted });
      assert.equal(page.headers['total-count'], String(all.json().length));
    });

    const filters = Object.entries(querystring?.properties ?? {});
    for (const [name, filter] of filters.filter(([, filter]) => isOfKnown(filter))) {
      it(`refuses an unknown value, and names it and the parameter: ${operationId}?${name}`, async () => {
        for (const value of ['no-such-thing', 'no-such-thing,nor-such-a-thing']) {
          const refused = await ask(operationId, `?${name}=${value}`);
          assert.equal(refused.statusCode, 422, refused.body);
          const { errors, detail } = refused.json();
          assert.deepEqual([...new Set(errors.map(placeOf))], [`?${name}`]);
          if (filter.items) for (const one of value.split(',')) assert.ok(detail.includes(one));
        }
      });
    }
  }
  for (const { operationId } of lists) {
    const path = cases[operationId]?.path.replace(/\d+/, '999999');
    if (path === cases[operationId]?.path) continue;
    it(`refuses an invalid cursor first, even below what does not exist: ${operationId}`, async () => {
      const refused = await inject(app, { url: `/v1${path}?cursor=x`, headers });
      assert.equal(refused.json().code, 'invalid_cursor');
      assert.equal((await inject(app, { url: `/v1${path}`, headers })).statusCode, 404);
    });
  }
  for (const { operationId, querystring } of lists) {
    it(`is streamed, or returned in pages: ${operationId}`, async () => {
      const all = await ask(operationId, '');
      assert.equal(all.statusCode, 200);
      // A response that is serialised as a whole is sent with its length.
      assert.equal(all.headers['content-length'], undefined, 'is streamed');
      const names = Object.keys(querystring?.properties ?? {});
      assert.ok(['limit', 'cursor'].every((name) => names.includes(name)));
      const page = await ask(operationId, '?limit=1');
      assert.deepEqual(page.json(), all.json().slice(0, 1));
      const next = /^<\/v1([^>]+)>; rel="next"$/.exec(String(page.headers.link ?? ''))?.[1];
      assert.equal(next !== undefined, all.json().length > 1);
      if (next === undefined) return;
      const second = await inject(app, { url: `/v1${next}`, headers });
      assert.deepEqual(second.json(), all.json().slice(1, 2));
    });
  }
});
