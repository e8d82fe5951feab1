import {
  type Described,
  type OpenApi,
  operationsOf,
  type Parameter,
  type Response,
  readDocument,
} from './document.ts';
import { homesOf } from './homes.ts';
import {
  aboutField,
  cell,
  fieldTable,
  type LinkTo,
  nameOf,
  type Schema,
  typeOf,
} from './schemas.ts';

/** The address of the page of a section, such as `reference/api/ssh-keys`. */
const slugOf = (tag: string) => tag.toLowerCase().replaceAll(' ', '-');

/** The anchor of an object, which must differ from those of operations. */
const anchorOf = (schema: string) => `object-${schema.toLowerCase()}`;

/** The pages of the API, by their paths on the site: one for each noun, and one about all of them. */
export function apiPages(): Map<string, string> {
  const document = readDocument();
  const homes = homesOf(document);
  const linkTo: LinkTo = (name) => `./${slugOf(homes.get(name) ?? '')}.md#${anchorOf(name)}`;
  const pages = document.tags.map(({ name, description }) => {
    const own = operationsOf(document).filter(({ operation }) => operation.tags[0] === name);
    const schemas = [...homes].filter(([, home]) => home === name).map(([schema]) => schema);
    const lines = [
      ...[`# ${name} in the API`, '', description, ''],
      ...summaryOf(own),
      ...own.flatMap((one) => describe(document, one, linkTo)),
      ...(schemas.length > 0 ? ['## Objects', ''] : []),
      ...schemas.sort().flatMap((schema) => describeSchema(document, schema, linkTo)),
    ];
    return [`reference/api/${slugOf(name)}.md`, lines.join('\n')] as const;
  });
  return new Map([['reference/api/index.md', overview(document)], ...pages]);
}

/** What the document says about the whole API. The errors have a page of their own. */
function overview({ info, tags }: OpenApi): string {
  const [text = ''] = info.description.split('\n## Errors\n');
  const sections = tags.map(
    ({ name, description }) => `- [${name}](./${slugOf(name)}.md): ${description}`,
  );
  return [
    ...['# The API', '', text.trim(), ''],
    ...['## Errors', '', 'Each error has one of [these codes](../errors.md).', ''],
    ...['## Sections', '', ...sections, ''],
    'A running Berth serves the same as an OpenAPI document at `/openapi.json`, and as a page to look things up at `/docs`.',
  ].join('\n');
}

function summaryOf(own: readonly Described[]): string[] {
  const rows = own.map(
    ({ method, path, operation: { summary, operationId } }) =>
      `| \`${method} ${path}\` | [${summary}](#${operationId}) |`,
  );
  return ['| Request | What it does |', '| --- | --- |', ...rows, ''];
}

function describe(document: OpenApi, { method, path, operation }: Described, linkTo: LinkTo) {
  const { operationId, summary, description = '', deprecated } = operation;
  return [
    ...[`## ${summary} {#${operationId}}`, '', `\`${method} ${path}\``, ''],
    ...(deprecated ? ['**Deprecated.**', ''] : []),
    ...[description, ''],
    ...parameters(operation.parameters ?? [], linkTo),
    ...body(document, operation.requestBody, linkTo),
    ...responses(document, operation.responses, linkTo),
  ];
}

/** Headers of most requests, which the overview describes. */
const ofAll = new Set(['Berth-Project', 'Idempotency-Key', 'Prefer', 'Berth-CSRF']);

function parameters(all: readonly Parameter[], linkTo: LinkTo): string[] {
  const shown = all.filter(({ name }) => !ofAll.has(name));
  const headers = all.filter(({ name }) => ofAll.has(name)).map(({ name }) => `\`${name}\``);
  const rows = shown.map(({ name, in: place, required, description = '', schema, example }) => {
    const type = `${typeOf(schema, linkTo)}${required ? ', required' : ''}`;
    // Several values are separated by commas in a request.
    const typed = Array.isArray(example) ? example.join(',') : example;
    const examples = typed === undefined ? [] : [typed];
    const about = aboutField({ description, examples, ...(schema.enum && { enum: schema.enum }) });
    return `| \`${name}\` | ${place} | ${cell(type)} | ${cell(about)} |`;
  });
  const table = [
    '| Parameter | In | Type | Description |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ];
  return [
    ...(rows.length > 0 ? ['**Parameters**', '', ...table] : []),
    ...(headers.length > 0
      ? [`It accepts the [headers](./index.md) ${headers.join(', ')}.`, '']
      : []),
  ];
}

function body(
  document: OpenApi,
  requestBody: Described['operation']['requestBody'],
  linkTo: LinkTo,
) {
  if (!requestBody) return [];
  const [[, { schema }] = ['', { schema: {} as Schema }]] = Object.entries(requestBody.content);
  const whole = schema.$ref ? document.components.schemas[nameOf(schema.$ref)] : schema;
  const named = schema.$ref ? ` (${typeOf(schema, linkTo)})` : '';
  const table = whole ? fieldTable(whole, linkTo) : [];
  return [`**Body**${named}`, '', requestBody.description ?? '', '', ...table, ''];
}

function responses(document: OpenApi, all: Record<string, Response>, linkTo: LinkTo): string[] {
  const rows = Object.entries(all).map(([status, given]) => {
    const response = given.$ref ? document.components.responses[nameOf(given.$ref)] : given;
    const { description = '', content = {} } = response ?? {};
    const isError = Number(status) >= 400 || status === 'default';
    const types = Object.entries(content).map(([type, { schema }]) =>
      type === 'application/json' ? typeOf(schema, linkTo) : `\`${type}\``,
    );
    const about = isError ? withErrorLinks(description) : description;
    const body = isError ? typeOf({ $ref: 'Problem' }, linkTo) : types.join(' or ');
    return `| ${status} | ${cell(body)} | ${cell(about)} |`;
  });
  return [
    '**Responses**',
    '',
    '| Status | Body | Description |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ];
}

/** Codes are in backquotes and brackets: (`server_not_found`). */
const withErrorLinks = (description: string) =>
  description.replaceAll(/\(`(\w+)`\)/g, '([`$1`](../errors.md#$1))');

function describeSchema(document: OpenApi, name: string, linkTo: LinkTo): string[] {
  const schema = document.components.schemas[name] ?? {};
  const { description = '', properties, examples = [] } = schema;
  const shown = examples.map((one) => `\`${String(one)}\``).join(', ');
  return [
    ...[`### ${name} {#${anchorOf(name)}}`, '', description, ''],
    ...(properties ? [...fieldTable(schema, linkTo), ''] : []),
    ...(!properties && shown ? [`Examples: ${shown}.`, ''] : []),
  ];
}
