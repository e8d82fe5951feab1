import { type Static, type TSchema, Type } from 'typebox';
import { Time } from './values.ts';

const mostValues = 100;

/**
 * A filter of a list: one value, or several with commas between, of which any will do. In an array of
 * JSON Schema, which the query string is split for.
 */
export function AnyOf<T extends TSchema>(item: T) {
  const { description, examples, ...schema } = item as TSchema & {
    description?: string;
    examples?: unknown[];
  };
  return Type.Optional(
    Type.Unsafe<Static<T>[]>({
      type: 'array',
      items: schema,
      ...{ minItems: 1, maxItems: mostValues },
      description: `${description} Several values are separated by commas.`,
      ...(examples && { examples: [examples.slice(0, 1)] }),
      explain: `Must be at most ${mostValues} values, with commas between.`,
    }),
  );
}

/** `q`: a search by how a name begins. */
export function NamePrefix(what: string) {
  return Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 253,
      pattern: '^[^\\p{Cc}\\p{Cs}]*$',
      description: `Only those whose ${what} begins with this text, whatever the case of its letters.`,
      examples: ['web'],
      explain: 'Must be a text of 1 to 253 characters, without control characters.',
    }),
  );
}

/** `from` and `to`, of when something was `done`: made, or entered. */
export const period = (done: string) => ({
  from: Type.Optional(Time(`Only those ${done} at or after this time.`)),
  to: Type.Optional(Time(`Only those ${done} before this time.`)),
});
