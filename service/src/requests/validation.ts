import type { Annotations } from '@berth/contract/values';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { counted } from '../lib/counted.ts';
import { nearest } from '../lib/nearest.ts';
import { type FieldError, invalidFields, type Where } from '../problems/problem.ts';
import { shownName } from '../problems/shown-text.ts';
import { booleanInText, coerceText, propertiesOf } from './bodies/coercion.ts';
import { isForm } from './bodies/forms.ts';
import { pointerPart } from './bodies/pointer.ts';
import { isRealTime } from './times.ts';
import { outOfRange, wantedTypes, wrongType } from './wrong-type.ts';

const mostErrors = 100;
/** The values of a filter that an error names. */
const mostNamed = 5;

function createAjv(): Ajv2020 {
  const made = new Ajv2020({ allErrors: true, verbose: true, useDefaults: true, strict: false });
  formats.default(made, ['ipv4', 'ipv6']);
  made.addFormat('date-time', isRealTime);
  made.addKeyword({ keyword: 'explain', schemaType: 'string' });
  made.addKeyword({
    keyword: 'maxBytes',
    schemaType: 'number',
    error: { message: ({ schema }) => `must be of at most ${schema} bytes` },
    validate: (most: number, value: unknown) => bytesOf(value) <= most,
  });
  return made;
}

/** Created for the first request, because it takes 10 ms of a start. */
let ajv: Ajv2020 | undefined;

function bytesOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + bytesOf(part), 0);
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}

/**
 * Validates a part of a request. The body is not converted. The query and the path are text, and are converted to the
 * types of their schemas. Each invalid field is reported, with the text of `explain` in its schema. The first request
 * compiles the schema, as in `compileSerializer`.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let validate: ValidateFunction | undefined;
  return (input: unknown) => {
    ajv ??= createAjv();
    validate ??= ajv.compile(schema);
    const value = httpPart === 'body' ? input : coerceText(schema, input);
    if (validate(value)) return { value };
    // Outside of the body everything is text, so the type has no meaning.
    const isJson = httpPart === 'body' && !isForm(input);
    return { error: invalidFields(fieldErrors(validate.errors ?? [], httpPart ?? 'body', isJson)) };
  };
};

function fieldErrors(errors: ErrorObject[], httpPart: string, isJson: boolean): FieldError[] {
  const choices = [
    ...new Set(errors.filter((e) => e.keyword === 'anyOf').map((e) => e.schemaPath)),
  ];
  const found = new Map<string, FieldError & { refused?: Set<string> }>();
  for (const error of errors) {
    // Each branch of a choice has an error. The error of the choice replaces them.
    if (choices.some((path) => error.schemaPath.startsWith(`${path}/`))) continue;
    // So does the branch of a condition that applies, and what a name must be.
    if (error.keyword === 'if' || error.keyword === 'propertyNames') continue;
    const where = whereOf(error, httpPart);
    const key = where.parameter ?? where.pointer;
    const ofValue = isValueOfFilter(error, httpPart);
    const one = found.get(key) ?? {
      ...where,
      detail: sentence(error, httpPart, isJson),
      ...(ofValue && { refused: new Set<string>() }),
    };
    found.set(key, one);
    if (ofValue) one.refused?.add(shownName(String(error.data)));
    if (found.size === mostErrors) break;
  }
  return [...found.values()].map(({ refused = [], ...one }) => ({
    ...one,
    detail: one.detail + whichOnes([...refused]),
  }));
}

/** Whether an error is about a single value of a filter, which is a list. */
function isValueOfFilter({ instancePath }: ErrorObject, httpPart: string): boolean {
  return httpPart === 'querystring' && /^\/[^/]+\/\d+$/.test(instancePath);
}

/** The end of the error for a filter: which of its values are wrong. */
function whichOnes(refused: string[]): string {
  if (refused.length === 0) return '';
  if (refused.length === 1) return ` The value ${refused[0]} is not.`;
  const isWhole = refused.length <= mostNamed;
  const named = isWhole ? refused.slice(0, -1) : refused.slice(0, mostNamed);
  const rest = isWhole ? refused.at(-1) : counted(refused.length - mostNamed, 'other');
  return ` The values ${named.join(', ')} and ${rest} are not.`;
}

/** The position of an error. A value of a list in a parameter has the position of the parameter. */
function whereOf(error: ErrorObject, httpPart: string): Where {
  const pointer = pointerTo(error);
  if (httpPart === 'body') return { pointer };
  const [, name = ''] = pointer.split('/');
  return { parameter: name.replaceAll('~1', '/').replaceAll('~0', '~') };
}

function pointerTo({ instancePath, params, keyword, propertyName }: ErrorObject): string {
  if (propertyName !== undefined) return `${instancePath}/${pointerPart(propertyName)}`;
  if (keyword === 'required') return `${instancePath}/${pointerPart(params.missingProperty)}`;
  if (keyword !== 'additionalProperties') return instancePath;
  return `${instancePath}/${pointerPart(params.additionalProperty)}`;
}

/** A server is created with a `name` and shown with a `hostname`. */
const alike = (one: string, other: string) => [one, other].sort().join(' ') === 'hostname name';

/** The known field that was probably meant, of those that the object does not have. */
function meantBy(name: string, { parentSchema = {}, data }: ErrorObject): string | undefined {
  const { properties = {} } = parentSchema as { properties?: Record<string, object> };
  const known = Object.keys(properties).filter(
    (one) => !('undocumented' in (properties[one] ?? {})) && !Object.hasOwn(Object(data), one),
  );
  const near = nearest(name, known);
  return near ?? known.find((one) => alike(one, name) || one.startsWith(`${name}_`));
}

const asMember = 'Must be sent as field[member] in a form, or as JSON.';
const noNull = 'Must be sent as JSON to be null, because forms have no null.';

/** Whether the name of a form's field begins with that of an object, but is no member of it: `quota[]`. */
function isInObject(name: string, parentSchema?: object): boolean {
  const [, field = ''] = /^([^[\]]+)\[/.exec(name) ?? [];
  const shapes = propertiesOf(parentSchema);
  return Object.hasOwn(shapes, field) && [shapes[field]?.type].flat().includes('object');
}

function sentence(error: ErrorObject, httpPart: string, isJson: boolean): string {
  const { keyword, params, parentSchema, message } = error;
  if (keyword === 'required') return 'Is required.';
  if (keyword === 'additionalProperties') {
    const name = String(params.additionalProperty);
    if (httpPart === 'body' && !isJson && isInObject(name, parentSchema)) return asMember;
    const unknown = httpPart === 'querystring' ? 'Unknown query parameter.' : 'Unknown field.';
    const meant = meantBy(name, error);
    return meant === undefined ? unknown : `${unknown} Did you mean ${meant}?`;
  }
  if (httpPart === 'querystring' && isRepeated(error)) return 'Must be given only once.';
  // The `explain` of a choice covers all branches.
  if (keyword === 'anyOf' && httpPart === 'body' && isBlank(error.data))
    return 'Must not be blank.';
  if (httpPart === 'body' && !isJson) {
    const wanted = wantedTypes(error);
    if (wanted.includes('object')) return asMember;
    if (wanted.includes('null') && error.data === 'null') return noNull;
  }
  const type = isJson ? wrongType(error) : undefined;
  if (type !== undefined) return type;
  if (keyword === 'type' && params.type === 'boolean' && !isJson) return booleanInText;
  const { explain } = (parentSchema ?? {}) as Annotations;
  if (explain) return isValueOfFilter(error, httpPart) ? explain : explain + outOfRange(error);
  if (keyword === 'pattern' || keyword === 'format') return 'Has an invalid format.';
  return `${(message ?? 'is not valid').replace(/^./, (first) => first.toUpperCase())}.`;
}

const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === '';

/** A parameter that was given several times is parsed as a list. */
function isRepeated({ keyword, data }: ErrorObject): boolean {
  return keyword === 'type' && Array.isArray(data);
}
