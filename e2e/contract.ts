import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Response = { content?: Record<string, unknown> };
type Responses = Record<string, Response | { $ref: string }>;

interface OpenApiDocument {
  paths: Record<string, Record<string, { responses: Responses }>>;
  components: { responses: Record<string, Response> };
}

const id = 'openapi';
const file = new URL('../contract/openapi.json', import.meta.url);
const document: OpenApiDocument = JSON.parse(readFileSync(file, 'utf8'));
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv, ['date-time', 'ipv4', 'ipv6']);
ajv.addSchema(document, id);

/** Fails if a response does not match the published document for its route and status. */
export function assertDeclared(
  method: string,
  path: string,
  answer: { status: number; contentType: string; body: unknown },
): void {
  const template = templateOf(path.split('?')[0] ?? '');
  const verb = method.toLowerCase();
  const declared = document.paths[template]?.[verb]?.responses[answer.status];
  const shared = declared && '$ref' in declared ? declared.$ref.split('/').at(-1) : undefined;
  const response = shared === undefined ? declared : document.components.responses[shared];
  const type = answer.contentType.split(';')[0] ?? '';
  const about = `${method} ${path} → ${answer.status} ${type}`;
  assert.ok(
    response && 'content' in response && response.content?.[type],
    `is not declared: ${about}`,
  );
  const place = shared === undefined ? ['paths', template, verb] : ['components'];
  const pointer = [...place, 'responses', shared ?? answer.status, 'content', type, 'schema'];
  const reference = `${id}#/${pointer.map((part) => escaped(String(part))).join('/')}`;
  const isValid = ajv.validate({ $ref: reference }, answer.body);
  assert.ok(isValid, `${about}: ${ajv.errorsText()} in ${JSON.stringify(answer.body)}`);
}

/** The path in the document that matches a request: the one with the most literal parts. */
function templateOf(path: string): string {
  const parts = path.split('/');
  const fits = (template: string) => {
    const wanted = template.split('/');
    return (
      wanted.length === parts.length &&
      wanted.every((part, at) => /^\{.*\}$/.test(part) || part === parts[at])
    );
  };
  const open = (template: string) => template.split('{').length;
  return (
    Object.keys(document.paths)
      .filter(fits)
      .sort((a, b) => open(a) - open(b))[0] ?? path
  );
}

/** A part of a JSON pointer in a URI fragment (RFC 6901, section 6). */
function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
