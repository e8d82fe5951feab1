import { type Static, type TObject, type TSchema, Type } from 'typebox';

/**
 * Annotations that Berth adds to JSON Schema. `explain` is the error message for an invalid value. `maxBytes` limits a
 * string, or the strings of an array together, in UTF-8.
 */
export interface Annotations {
  explain?: string;
  maxBytes?: number;
  /** Accepted or returned for older or lenient clients, and omitted in the documentation. */
  undocumented?: true;
  /**
   * Set on the schema of a body that may be omitted: a request without it is treated as with `{}`. The documentation
   * says so.
   */
  optionalBody?: true;
}

interface Words {
  description: string;
  examples?: unknown[];
  deprecated?: true;
}

export const maxId = Number.MAX_SAFE_INTEGER;

/** A string that is one of a few words. */
export function Word<const T extends string[]>(words: [...T], options: Words) {
  const explain = `Must be one of: ${words.join(', ')}.`;
  return Type.Enum(words, { type: 'string', ...options, explain });
}

/** The ID of an object. `whose` names the object, such as `the server`. */
export function Id(whose: string, example: number) {
  return Type.Integer({ description: `The ID of ${whose}.`, examples: [example] });
}

/** The same, or null. Use it only in responses, because values that clients send cannot be null. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type, enum: words } = schema as { type?: string; enum?: unknown[] };
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [type, 'null'],
    ...(words && { enum: [...words, null] }),
  });
}

/** RFC 3339 in UTC, always with six fractional digits. */
export function Timestamp(description: string) {
  return Type.String({
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$',
    description: `${description} Formatted as RFC 3339, in UTC.`,
    examples: ['2026-11-21T04:32:50.120000Z'],
  });
}

/** A time that a client sends: RFC 3339, in UTC or with an offset, to the microsecond at most. */
export function Time(description: string) {
  return Type.String({
    format: 'date-time',
    description: `${description} Formatted as RFC 3339, in UTC or with an offset from it.`,
    examples: ['2026-11-21T00:00:00Z', '2026-11-21T01:00:00+01:00'],
    explain:
      'Must be a valid RFC 3339 timestamp with a time zone, such as 2026-11-21T00:00:00Z or 2026-11-21T01:00:00+01:00.',
  });
}

/** A rule of JSON Schema about several fields. `explain` is the error message for a body to which no part of `anyOf` applies. */
interface Conditions extends Pick<Annotations, 'explain'> {
  if?: object;
  else?: object;
  allOf?: object[];
  anyOf?: object[];
}

/** An object that allows no unknown fields. `title` is its name in the documentation. */
export function Closed<P extends TObject['properties']>(
  properties: P,
  options: { title?: string; description?: string } & Pick<Annotations, 'optionalBody'> &
    Conditions = {},
) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}
