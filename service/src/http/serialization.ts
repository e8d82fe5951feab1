import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifySerializerCompiler } from 'fastify';

const compile = SerializerSelector()();

type Serializer = (value: unknown) => string;
const known = new WeakMap<object, Serializer>();

/**
 * Fastify's own serializers, each of which is compiled for the first response that needs it. A route declares about a
 * dozen, most of which are never used, and compiling all of them took a third of a start. `schemas.test.ts` compiles all.
 * Routes with the same schema share its serializer, such as that of problems.
 */
export const compileSerializer: FastifySerializerCompiler<object> = (route) => {
  const shared = known.get(route.schema);
  if (shared) return shared;
  let compiled: Serializer | undefined;
  const serialize: Serializer = (value) => {
    compiled ??= compile({ httpStatus: '', ...route });
    return compiled(value);
  };
  known.set(route.schema, serialize);
  return serialize;
};
