import type { Noun } from '@berth/contract/nouns';
import type { FastifyRequest, FastifySchema } from 'fastify';

const parts = ['params', 'query', 'body'] as const;
type Part = (typeof parts)[number];

/** A position in a request that may have a reference. */
export type Place = Field & ({ noun: Noun } | { by: string });

interface Field {
  part: Part;
  field: string;
  isList: boolean;
}

interface Referring {
  reference?: Noun;
  referenceBy?: string;
  items?: Referring;
}

const known = new WeakMap<FastifySchema, Place[]>();

/**
 * The references that `contract/references.ts` has marked in a route's schemas; those of the path
 * come first.
 */
export function placesOf(schema: FastifySchema | undefined): Place[] {
  if (!schema) return [];
  const places = known.get(schema) ?? parts.flatMap((part) => placesIn(schema, part));
  known.set(schema, places);
  return places;
}

function placesIn(schema: FastifySchema, part: Part): Place[] {
  const { properties = {} } = (schema[part === 'query' ? 'querystring' : part] ?? {}) as {
    properties?: Record<string, Referring>;
  };
  return Object.entries(properties).flatMap(([field, shape]): Place[] => {
    const isList = shape.items !== undefined;
    const { reference: noun, referenceBy: by } = shape.items ?? shape;
    if (noun !== undefined) return [{ part, field, isList, noun }];
    return by === undefined ? [] : [{ part, field, isList, by }];
  });
}

/** The values at that position after validation. */
export function valuesAt(request: FastifyRequest, { part, field }: Field): (string | number)[] {
  const values = request[part] as Record<string, unknown> | null | undefined;
  const value = values && Object.hasOwn(values, field) ? values[field] : undefined;
  return [value].flat().filter((one) => typeof one === 'string' || typeof one === 'number');
}
