import type { TSchema } from 'typebox';
import { invalidFields, Problem } from '../../problems/problem.ts';
import { boundFields, boundParts } from './bounds.ts';
import { coerceValue, membersOf, propertiesOf } from './coercion.ts';
import { duplicateField } from './json.ts';
import { pointerPart } from './pointer.ts';

type Pairs = [name: string, value: string][];

/**
 * Throws `malformed_request` (400) for escapes that are not UTF-8, and `body_too_large` (413) for too many
 * fields.
 */
export function parseUrlEncoded(text: string): Pairs {
  boundFields(text);
  const parts = text.split('&').filter((part) => part !== '');
  try {
    return parts.map((part) => {
      const [name = '', ...rest] = part.replaceAll('+', ' ').split('=');
      return [decodeURIComponent(name), decodeURIComponent(rest.join('='))];
    });
  } catch (error) {
    const detail = 'The form contains an escape sequence that is not valid UTF-8.';
    throw new Problem('malformed_request', detail, { cause: error });
  }
}

/**
 * The fields of a multipart form (RFC 7578). Throws `malformed_request` (400) when it can't be read,
 * `validation_failed` (422) for a file and `body_too_large` (413) for too many parts.
 */
export async function parseMultipart(body: Buffer, contentType: string): Promise<Pairs> {
  const boundary = boundaryOf(contentType);
  boundParts(body, boundary);
  // The header is not passed on as it was sent: a parser might read another boundary from it than
  // the one that was checked.
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
  let form: FormData;
  try {
    form = await new Response(new Uint8Array(body), { headers }).formData();
  } catch (error) {
    const detail = 'The body is not a valid multipart form.';
    throw new Problem('malformed_request', detail, { cause: error });
  }
  return [...form].map(([name, value]) => {
    if (typeof value === 'string') return [name, value];
    const pointer = `/${pointerPart(name)}`;
    throw invalidFields([{ pointer, detail: 'Must be a field, not a file.' }]);
  });
}

/** The boundary, if it has only characters of RFC 2046, section 5.1.1, and no escapes. */
function boundaryOf(contentType: string): string {
  const [, quoted, plain] =
    /;\s*boundary=(?:"([\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?])"|([\w'()+,\-./:=?]{1,70}))\s*(?:;|$)/i.exec(
      contentType,
    ) ?? [];
  const boundary = quoted ?? plain;
  if (boundary !== undefined) return boundary;
  const detail =
    'The Content-Type of a multipart form must have a boundary as RFC 2046 describes it.';
  throw new Problem('malformed_request', detail);
}

/** A list while it is built: by index, such as `[2]`, or `[]` for the next one. */
interface List {
  items: Map<number, string | string[]>;
  next: number;
}

const namePattern = /^([^[\]]+)(?:\[(\d{0,4})\](\[\d{0,4}\])?)?$/;
const memberPattern = /^([^[\]]+)\[([^[\]]+)\]$/;

/**
 * The fields of a form as the object that the schema describes. A list is `a[]=x`, `a[0]=x` or a
 * repeated `a=x`, and a list in it `a[0][]=x`; empty, it is `a[]=`. A member of an object is
 * `a[name]=x`. Throws `malformed_request` (400) for a field that is given twice, and
 * `validation_failed` (422) for a list as JSON in a field without brackets.
 */
export function formBody(pairs: Pairs, schema: TSchema | undefined): Record<string, unknown> {
  const shapes = propertiesOf(schema);
  const shapeOf = (field: string) => (Object.hasOwn(shapes, field) ? shapes[field] : undefined);
  const body = new Map<string, unknown>();
  const lists = new Map<string, List>();
  const objects = new Map<string, Map<string, unknown>>();
  for (const [name, sent] of pairs) {
    // Browsers send every line break of a form as CRLF (HTML, section 4.10.22), but a shell can't read CR.
    const value = sent.replaceAll('\r\n', '\n');
    const [, field = name, index = '', inner] = namePattern.exec(name) ?? [];
    const [, object = '', member = ''] = memberPattern.exec(name) ?? [];
    const shapeOfMember = membersOf(shapeOf(object));
    if ([shapeOf(field)?.type].flat().includes('array')) {
      if (name === field && isJsonList(value)) throw listAsJson(field);
      const list = lists.get(field) ?? { items: new Map(), next: 0 };
      addToList(list, { name, index, inner, value });
      lists.set(field, list);
    } else if (shapeOfMember) {
      const members = objects.get(object) ?? new Map<string, unknown>();
      if (members.has(member)) throw duplicateField(name);
      objects.set(object, members.set(member, coerceValue(shapeOfMember(member), value)));
    } else if (body.has(name)) throw duplicateField(name);
    else body.set(name, coerceValue(shapeOf(name), value));
  }
  for (const [field, list] of lists) body.set(field, inOrder(list));
  for (const [field, members] of objects) {
    if (body.has(field)) throw duplicateField(field);
    body.set(field, Object.fromEntries(members));
  }
  const result = Object.fromEntries(body);
  forms.add(result);
  return result;
}

/** Whether a text is a JSON array as it is meant for a list: of texts and lists, or empty. */
function isJsonList(text: string): boolean {
  if (!/^\s*\[.*\]\s*$/s.test(text)) return false;
  try {
    const list: unknown[] = JSON.parse(text);
    return list.every((item) => typeof item === 'string' || Array.isArray(item));
  } catch {
    return false;
  }
}

function listAsJson(field: string): Problem {
  const detail = `Must be sent as a field \`${field}[]\` for each item, because forms have no arrays, or as JSON. An empty list is \`${field}[]=\`.`;
  return invalidFields([{ pointer: `/${field}`, detail }]);
}

const forms = new WeakSet<object>();

/** Whether a body was sent as a form, where every value is a text. */
export function isForm(body: unknown): boolean {
  return typeof body === 'object' && body !== null && forms.has(body);
}

interface Item {
  name: string;
  index: string;
  inner: string | undefined;
  value: string;
}

function addToList(list: List, { name, index, inner, value }: Item): void {
  const at = index === '' ? list.next : Number(index);
  const there = list.items.get(at);
  if (there !== undefined && (inner === undefined || typeof there === 'string')) {
    throw duplicateField(name);
  }
  if (there !== undefined) there.push(value);
  else list.items.set(at, inner === undefined ? value : [value]);
  list.next = Math.max(list.next, at + 1);
}

function inOrder({ items }: List): (string | string[])[] {
  const list = [...items].sort(([a], [b]) => a - b).map(([, item]) => item);
  return list.length === 1 && list[0] === '' ? [] : list;
}
