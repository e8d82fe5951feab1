import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { compileSerializer } from './serialization.ts';

const route = { method: 'GET', url: '/things' };

test('routes share the serializer of a schema, and schemas have their own', () => {
  const named = Type.Object({ name: Type.String() });
  const numbered = Type.Object({ id: Type.Integer() });
  const value = { id: 1, name: 'a', secret: 'b' };
  const serialize = compileSerializer({ ...route, schema: named, httpStatus: '200' });
  const again = { method: 'POST', url: '/others', schema: named, httpStatus: '201' };
  assert.equal(compileSerializer(again), serialize);
  assert.equal(serialize(value), '{"name":"a"}');
  const other = compileSerializer({ ...route, schema: numbered, httpStatus: '200' });
  assert.equal(other(value), '{"id":1}');
});
