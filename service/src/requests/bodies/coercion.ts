import type { TSchema } from 'typebox';

/** The part of a schema that coercion uses. */
interface Shape {
  type?: string | string[];
  format?: string;
  items?: Shape;
  properties?: Record<string, Shape>;
  additionalProperties?: Shape | boolean;
}

export function propertiesOf(schema: TSchema | undefined): Record<string, Shape> {
  return (schema as Shape | undefined)?.properties ?? {};
}

/** Returns the function that finds the shape of a member, for an object. */
export function membersOf(shape: Shape | undefined) {
  if (![shape?.type].flat().includes('object')) return undefined;
  const { properties = {}, additionalProperties: others } = shape ?? {};
  const other = typeof others === 'object' ? others : undefined;
  return (name: string) => (Object.hasOwn(properties, name) ? properties[name] : other);
}

/**
 * Converts text from a query, a path or a form to the type of its schema. Text that does not exactly match stays text,
 * which validation refuses: `2` is a number, while `2abc`, `1e3`, ` 2` and `02` are not.
 */
export function coerceText(schema: TSchema, input: unknown): Record<string, unknown> {
  const properties = propertiesOf(schema);
  const entries = Object.entries(input ?? {}).map(([name, value]) => {
    const shape = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, coerceValue(shape, value)] as const;
  });
  return Object.fromEntries(entries);
}

export const booleanInText = 'Must be one of true, false, 1, 0, on, off (lowercase).';

const booleans = new Map([
  ['1', true],
  ['true', true],
  ['on', true],
  ['0', false],
  ['false', false],
  ['off', false],
]);

export function coerceValue(shape: Shape | undefined, value: unknown): unknown {
  const types = [shape?.type].flat();
  if (types.includes('array')) return listOf(value).map((item) => coerceValue(shape?.items, item));
  if (typeof value !== 'string') return value;
  if (types.includes('boolean')) return booleans.get(value) ?? value;
  // An unescaped plus in an offset arrives as a space (HTML, "URL-encoded form data").
  if (shape?.format === 'date-time') return value.replace(/ (?=\d\d:\d\d$)/, '+');
  const isNumber = types.includes('integer') || types.includes('number');
  return isNumber && /^-?(0|[1-9]\d*)$/.test(value) ? Number(value) : value;
}

/** A list in a query: `a=1,2`, or `a=1&a=2`. */
function listOf(value: unknown): unknown[] {
  return [value]
    .flat()
    .flatMap((part: unknown) => (typeof part === 'string' ? part.split(',') : [part]));
}
