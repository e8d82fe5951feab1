import fc from 'fast-check';

/** The parts of JSON Schema that the API's own schemas use. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  allOf?: Condition[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  examples?: unknown[];
}

/** Fields of an object, of which either the first ones are required, or the others. */
interface Condition {
  if: { required: string[] };
  else: { required: string[] };
}

/** Values that often break programs. */
const nasty: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1e3, 2 ** 53, -(2 ** 63), 1e308, 0.1, '', ' '),
  fc.constantFrom<unknown>('0', '-1', 'abc', '1e3', '\0', '\u001b[0m', '../../etc/passwd', '%00'),
  fc.constantFrom<unknown>(
    "'; drop table servers --",
    '{{7*7}}',
    '<script>',
    '\ud800',
    'x'.repeat(5000),
  ),
  fc.constantFrom<unknown>([], {}, [[]], [null], { a: { b: {} } }, { __proto__: 1 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** A value that is mostly valid for a schema or nearly valid, and sometimes arbitrary. */
export function valueFor(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 24, arbitrary: good(schema) }, { weight: 1, arbitrary: nasty });
}

function good(schema: Schema): fc.Arbitrary<unknown> {
  const { examples = [], anyOf, ...rest } = schema;
  if (schema.enum) return fc.constantFrom(...schema.enum);
  // Each part may only add to the rest, such as another required field.
  if (anyOf) return fc.oneof(...anyOf.map((part) => valueFor(joined(rest, part))));
  if (schema.allOf) return fc.oneof(...alternatives(schema).map(valueFor));
  const made = ofType(schema);
  const [example] = examples;
  if (example === undefined) return made;
  const given = fc.constantFrom(...examples);
  if (typeof example !== 'string') return fc.oneof(given, made);
  const texts = examples.filter((one) => typeof one === 'string');
  // A value that must be unique is refused the second time.
  const another = fc.nat({ max: 999 }).map((n) => example.replace(/\d*(?=@|$)/, String(n)));
  return fc.oneof(
    { weight: 4, arbitrary: given },
    { weight: 12, arbitrary: another },
    { weight: 4, arbitrary: made },
    fc.constantFrom(...texts).chain(spoilt),
  );
}

const joined = (rest: Schema, part: Schema): Schema => ({
  ...rest,
  ...part,
  required: [...(rest.required ?? []), ...(part.required ?? [])],
});

/** The ways to fulfil the conditions of an object, with the fields of one side of each. */
function alternatives({ allOf = [], ...schema }: Schema): Schema[] {
  return allOf.reduce<Schema[]>(
    (all, { if: { required: some }, else: { required: others } }) =>
      all.flatMap((one) => [requiring(one, some, others), requiring(one, others, some)]),
    [schema],
  );
}

function requiring(schema: Schema, fields: string[], without: string[]): Schema {
  const { properties = {}, required = [] } = schema;
  const kept = Object.entries(properties).filter(([name]) => !without.includes(name));
  return {
    ...schema,
    properties: Object.fromEntries(kept),
    required: [...required, ...fields],
  };
}

const troublesome = ['\0', '\u001b[2J', '\n', '\u009b', '\ud800', '\u202e', "'", '\\', '/', ' '];

/** A valid value with a wrong character in it, or a wrong length. */
function spoilt(example: string): fc.Arbitrary<string> {
  const place = fc.nat({ max: example.length });
  return fc.oneof(
    fc
      .tuple(place, fc.constantFrom(...troublesome))
      .map(([at, character]) => example.slice(0, at) + character + example.slice(at)),
    fc
      .constantFrom(300, 30_000)
      .map((length) => `${example.repeat(length).slice(0, length)}\u0001`),
  );
}

function ofType(schema: Schema): fc.Arbitrary<unknown> {
  const [type] = [schema.type].flat();
  switch (type) {
    case 'object':
      return objectOf(schema);
    case 'array':
      return listOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integerOf(schema);
    case 'number':
      return numberOf(schema);
    default:
      return fc.string({ maxLength: 30 });
  }
}

function objectOf({
  properties = {},
  required = [],
  additionalProperties: others,
}: Schema): fc.Arbitrary<unknown> {
  if (typeof others === 'object')
    return fc.dictionary(memberName, valueFor(others), { maxKeys: 5 });
  const fields = Object.entries(properties).map(([name, schema]) => [name, valueFor(schema)]);
  const usual = fc.record(Object.fromEntries(fields), { requiredKeys: required as never[] });
  const careless = fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  return fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: careless });
}

const memberName = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('env', 'team', 'example.com/tier', 'constructor') },
  { weight: 1, arbitrary: spoilt('env') },
  { weight: 1, arbitrary: fc.string({ maxLength: 30 }) },
);

function listOf({ items = {}, minItems = 0, maxItems = 4 }: Schema): fc.Arbitrary<unknown> {
  const maxLength = Math.max(minItems, Math.min(maxItems, 4));
  return fc.array(valueFor(items), { minLength: minItems, maxLength });
}

/** Its bounds, the values just beyond them, and small numbers, since ids and sizes are small. */
function integerOf({ minimum = 0, maximum = 2 ** 53 - 1 }: Schema): fc.Arbitrary<unknown> {
  const edges = [minimum, maximum, minimum - 1, maximum + 1];
  const small = fc.integer({ min: minimum, max: Math.min(maximum, minimum + 20) });
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...edges) },
    { weight: 6, arbitrary: small },
  );
}

/** The same with fractions. */
function numberOf({ minimum = 0, maximum = 1e9 }: Schema): fc.Arbitrary<unknown> {
  const edges = [minimum, maximum, minimum - 0.01, maximum + 0.01];
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...edges) },
    { weight: 6, arbitrary: fc.double({ min: minimum, max: maximum, noNaN: true }) },
  );
}
