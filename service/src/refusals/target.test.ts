import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PathParams, Reference, ReferenceBy } from '@berth/contract/references';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { namedTarget } from './target.ts';

const body = Type.Object({ location_id: Reference('location', 'A location.') });

/** The target of a request whose path has these values, on a route with this schema. */
const targetOf = (schema: object | undefined, params: object) =>
  namedTarget({ routeOptions: { schema }, params } as FastifyRequest);

test('the target of a refusal is the last object in its path', () => {
  const project = PathParams({ id: 'project' });
  const member = PathParams({ id: 'project', user_id: 'member' });
  const both = { id: '3', user_id: '4' };
  assert.deepEqual(targetOf({ params: project, body }, both), { kind: 'project', id: 3 });
  assert.deepEqual(targetOf({ params: member, body }, both), { kind: 'user', id: 4 });
  // After references were resolved, it is a number.
  assert.deepEqual(targetOf({ params: member }, { id: 3, user_id: 4 }), { kind: 'user', id: 4 });
});

test('a path without an object, or with a reference other than an ID, has no target', () => {
  const server = PathParams({ id: 'server' });
  const anything = Type.Object({ id: ReferenceBy('kind', 'Anything.') });
  assert.equal(targetOf(undefined, { id: '3' }), null);
  assert.equal(targetOf({ body }, { location_id: '3' }), null);
  assert.equal(targetOf({ params: server }, { id: 'web-1' }), null);
  assert.equal(targetOf({ params: server }, { id: '0' }), null);
  assert.equal(targetOf({ params: server }, {}), null);
  assert.equal(targetOf({ params: PathParams({ id: 'operation' }) }, { id: '3' }), null);
  assert.equal(targetOf({ params: anything }, { id: '3' }), null);
});
