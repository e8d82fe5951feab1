import { type Static, type TSchema, Type } from 'typebox';
import { Time } from './values.ts';

const mostValues = 100;

/**
 * A filter of a list: one value or several, separated by commas, any of which can match.
 */
export function AnyOf<T extends TSchema>(item: T, options: { undocumented?: true } = {}) {
  return several(
    item,
    'Separate several values with commas; an object matches if any of them does.',
    options,
  );
}

/** A parameter that selects parts of a response: one value or several, separated by commas. */
export function SomeOf<T extends TSchema>(item: T) {
  return several(item, 'Separate several values with commas.');
}

/** The schema is an array, into which the query string is split. */
function several<T extends TSchema>(item: T, how: string, options: { undocumented?: true } = {}) {
  const { description, examples, ...schema } = item as TSchema & {
    description?: string;
    examples?: unknown[];
  };
  return Type.Optional(
    Type.Unsafe<Static<T>[]>({
      type: 'array',
      items: schema,
      ...{ minItems: 1, maxItems: mostValues },
      description: `${description} ${how}`,
      ...(examples && { examples: [examples.slice(0, 1)] }),
      explain: `Must be at most ${mostValues} values, separated by commas.`,
      ...options,
    }),
  );
}

/**
 * `q`: a search by the beginning of a name. `objects` are the listed objects, and `what` is the field: `servers`, `host
 * name`.
 */
export function NamePrefix(objects: string, what: string) {
  return Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 253,
      pattern: '^[^\\p{Cc}\\p{Cs}]*$',
      description: `Return only ${objects} whose ${what} begins with this text. The comparison ignores case.`,
      examples: ['web'],
      explain: 'Must be a string of 1 to 253 characters, without control characters.',
    }),
  );
}

/** `from` and `to`: the period in which `objects` were `done`, such as created or recorded. */
export const period = (objects: string, done: string) => ({
  from: Type.Optional(Time(`Return only ${objects} that were ${done} at or after this time.`)),
  to: Type.Optional(Time(`Return only ${objects} that were ${done} before this time.`)),
});
