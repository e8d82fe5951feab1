import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifySerializerCompiler } from 'fastify';

const compile = SerializerSelector()();

/**
 * Fastify's own serializers, each of which is compiled for the first response that needs it. A route declares about a
 * dozen, most of which are never used, and compiling all of them took a third of a start. `schemas.test.ts` compiles all.
 */
export const compileSerializer: FastifySerializerCompiler<unknown> = (route) => {
  let serialize: ((value: unknown) => string) | undefined;
  return (value) => {
    serialize ??= compile({ httpStatus: '', ...route });
    return serialize(value);
  };
};
