// Fields of the contract as rows of Markdown tables.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  examples?: unknown[];
  additionalProperties?: Schema | boolean;
  deprecated?: boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** Where a named schema is described. */
export type LinkTo = (name: string) => string;

/** The type of a value in words, with links to named schemas. */
export function typeOf(schema: Schema, linkTo: LinkTo): string {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return `[${name}](${linkTo(name)})`;
  }
  const options = schema.anyOf ?? schema.allOf;
  if (options) return [...new Set(options.map((one) => typeOf(one, linkTo)))].join(' or ');
  const types = [schema.type ?? (schema.enum ? 'string' : 'any')].flat();
  return types.map((type) => (type === 'array' ? arrayOf(schema, linkTo) : type)).join(' or ');
}

const arrayOf = ({ items = {} }: Schema, linkTo: LinkTo) => `array of ${typeOf(items, linkTo)}`;

/** A table of the fields of an object. Fields of unnamed objects in it follow it. */
export function fieldTable(schema: Schema, linkTo: LinkTo): string[] {
  const rows = fieldRows(schema, linkTo, '');
  if (rows.length === 0) return [];
  return ['| Field | Type | Description |', '| --- | --- | --- |', ...rows];
}

function fieldRows(schema: Schema, linkTo: LinkTo, within: string): string[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${within}${name}`;
    const isRequired = required.includes(name) ? ', required' : '';
    const type = `${typeOf(field, linkTo)}${isRequired}`;
    const row = `| \`${path}\` | ${cell(type)} | ${cell(aboutField(field))} |`;
    const inner = field.properties ? field : (field.items ?? {});
    const suffix = field.properties ? '.' : '[].';
    return [row, ...(inner.properties ? fieldRows(inner, linkTo, `${path}${suffix}`) : [])];
  });
}

/** The description of a value, with its limits and an example. */
export function aboutField(schema: Schema): string {
  const { description = '', deprecated } = schema;
  const words = [
    deprecated && !/^deprecated/i.test(description) ? '**Deprecated.**' : '',
    description,
  ];
  const values = schema.enum?.map((value) => code(value)).join(', ');
  if (values) words.push(`One of ${values}.`);
  const [example] = schema.examples ?? [];
  if (example !== undefined) words.push(`Example: ${code(example)}.`);
  return words.filter(Boolean).join(' ');
}

const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

/** A text in a cell of a table: without line ends, and with escaped bars. */
export const cell = (text: string): string =>
  text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
