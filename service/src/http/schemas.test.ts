import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifySerializerCompiler } from 'fastify';
import { Type } from 'typebox';
import type { App, Routes } from '../callers/app-types.ts';
import { createDb, createPool } from '../db/connection.ts';
import { compileValidator } from '../requests/validation.ts';
import { type AllDeps, routes as allRoutes } from '../routes.ts';
import { createTestApp } from '../testing/app.ts';

// A service compiles the schemas of a route for its first request, which would fail for an invalid schema.

const db = createDb(createPool('postgresql://nowhere'));
after(() => db.destroy());

/** Compiles the schemas of these routes at once, and returns how many they are. */
async function compileAll(routes: readonly Routes<AllDeps>[]): Promise<number> {
  const compileForResponse = SerializerSelector()();
  let count = 0;
  const compileNow = (api: App) => {
    api.setValidatorCompiler((route) => {
      count += 1;
      const validate = compileValidator(route as Parameters<typeof compileValidator>[0]);
      validate({});
      return validate;
    });
    const serializers: FastifySerializerCompiler<unknown> = (route) => {
      count += 1;
      return compileForResponse({ httpStatus: '', ...route });
    };
    api.setSerializerCompiler(serializers);
  };
  const app = await createTestApp(db, [compileNow, ...routes]);
  await app.close();
  return count;
}

test('the schemas of all routes can be compiled', async () => {
  const count = await compileAll(allRoutes);
  assert.ok(count > 1000, `${count} schemas`);
});

test('a schema that cannot be compiled is found', async () => {
  const broken = Type.Unsafe<string>({ type: 'texts' });
  const route = (schema: object) => (api: App) => {
    api.get('/broken', { schema }, async () => 'x');
  };
  for (const schema of [
    { querystring: broken },
    { response: { 200: Type.Object({ text: Type.Unsafe<string>({ $ref: '#/nowhere' }) }) } },
  ]) {
    await assert.rejects(compileAll([route(schema)]));
  }
});
