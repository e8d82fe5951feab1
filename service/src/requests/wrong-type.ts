import type { ErrorObject } from 'ajv';

const typeNames: Record<string, string> = {
  object: 'a JSON object',
  array: 'an array',
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

/** The error for a JSON value of a wrong type; undefined if the type is right. */
export function wrongType(error: ErrorObject): string | undefined {
  const wanted = wantedTypes(error);
  if (wanted.length === 0 || wanted.includes(typeOf(error.data))) return undefined;
  const unit = /^Must be an integer (number of \S+?),? /.exec(error.parentSchema?.explain)?.[1];
  const named = (type: string) => typeNames[type] ?? type;
  const names = wanted
    .map((type) => (unit && type === 'integer' ? `${named(type)} ${unit}` : named(type)))
    .join(' or ');
  return `Must be ${names}, not ${given(error.data, wanted)}.`;
}

/** The types of a schema; for a choice, those of its branches. */
export function wantedTypes({ keyword, params, schema }: ErrorObject): string[] {
  if (keyword === 'type') return [params.type].flat();
  if (keyword !== 'anyOf') return [];
  return (schema as { type?: string }[]).flatMap(({ type }) => type ?? []);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/**
 * Only a number of the wrong type is repeated in the error: other values may be secret, or long.
 */
function given(value: unknown, wanted: string[]): string {
  if (typeof value === 'number' && wanted.includes('integer')) return numberInWords(value);
  return typeof value === 'boolean' ? 'a boolean' : (typeNames[typeOf(value)] ?? 'that');
}

/** The end of the error for a number out of range, after the range. */
export function outOfRange({ keyword, data }: ErrorObject): string {
  const isRange = keyword === 'minimum' || keyword === 'maximum';
  return isRange && typeof data === 'number' ? ` The value is ${numberInWords(data)}.` : '';
}

/** Formats a number. JSON numbers beyond 2^53 are not parsed exactly, and are marked as such. */
function numberInWords(value: number): string {
  const isExact = Number.isSafeInteger(value) || !Number.isInteger(value);
  return isExact ? String(value) : value.toExponential();
}
