import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifySerializerCompiler } from 'fastify';

const compile = SerializerSelector()();

/**
 * Fastify's own serializers, each compiled for the first response that needs it: a route declares a dozen of them, most of
 * which are never used, and compiling all took most of the time of a start.
 */
export const compileSerializer: FastifySerializerCompiler<unknown> = (route) => {
  let serialize: ((value: unknown) => string) | undefined;
  return (value) => {
    serialize ??= compile({ httpStatus: '', ...route });
    return serialize(value);
  };
};
