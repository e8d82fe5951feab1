import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString, NUMBER, type OpenAPI3, STRING, tsUnion } from 'openapi-typescript';
import { classNameOf } from './src/errors.ts';

// Writes `src/generated/` from the contract. With `--check`, it only tests whether these files are current.

interface Operation {
  parameters?: { name: string }[];
  requestBody?: { content: Record<string, unknown> };
  responses: Record<string, { description?: string; headers?: object }>;
}
type Paths = Record<string, Record<string, Operation>>;

interface Contract {
  paths: Paths;
  components: {
    schemas: object;
    securitySchemes: object;
    responses: Record<string, { description?: string }>;
  };
}

// Read instead of imported, because the type of the whole file takes long to check.
const contract: Contract = JSON.parse(
  await readFile(new URL('../contract/openapi.json', import.meta.url), 'utf8'),
);

const operationsOf = (paths: Paths) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/**
 * The types of the contract, without those that the client does not need: errors, which are thrown as classes; headers
 * of responses; and bodies as forms.
 */
async function schemaFile(): Promise<string> {
  const { components, ...document } = structuredClone(contract);
  for (const { operation } of operationsOf(document.paths)) {
    const { requestBody, responses } = operation;
    if (requestBody) {
      requestBody.content = { 'application/json': requestBody.content['application/json'] };
    }
    for (const [status, response] of Object.entries(responses)) {
      if (status >= '400') delete responses[status];
      else delete response.headers;
    }
  }
  const { schemas, securitySchemes } = components;
  for (const part of [document.paths, schemas]) dropRestrictions(part);
  const reduced = { ...document, components: { schemas, securitySchemes } };
  const ast = await openapiTS(reduced as unknown as OpenAPI3, {
    // A program has most IDs as numbers.
    transform: (_, { path }) => (isReference(path) ? tsUnion([STRING, NUMBER]) : undefined),
  });
  return astToString(ast);
}

/**
 * Removes alternatives that only restrict a value, such as which fields are required. Their type is `unknown`, which
 * would hide the type of the value.
 */
function dropRestrictions(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  if ('anyOf' in part && 'type' in part) delete part.anyOf;
  for (const inner of Object.values(part)) dropRestrictions(inner);
}

/** Whether a type is that of an ID or a name in a path. */
const isReference = (path = '') => /^#\/components\/schemas\/\w+(Reference|Id)$/.test(path);

/** A class for each code of a problem. */
function errorsFile(): string {
  const titles = titlesOfCodes();
  const classes = titles.map(
    ([code, title]) =>
      `/** ${title}. */\nexport class ${classNameOf(code)} extends BerthError {\n  declare readonly code: '${code}';\n}\n`,
  );
  const entries = titles.map(([code]) => `  ${code}: ${classNameOf(code)},\n`);
  return [
    "import { BerthError } from '../errors.ts';\n",
    ...classes,
    `/** The class of each code. */\nexport const classOfCode = {\n${entries.join('')}};\n`,
  ].join('\n');
}

/** The codes in alphabetical order, with their titles: the description of a response has those of its codes. */
function titlesOfCodes(): [code: string, title: string][] {
  const responses = [
    ...Object.values(contract.components.responses),
    ...operationsOf(contract.paths).flatMap(({ operation }) => Object.values(operation.responses)),
  ];
  const titles = responses.flatMap(({ description = '' }) =>
    [...description.matchAll(/([^.]+) \(`(\w+)`\)/g)].map(
      ([, title = '', code = '']) => [code, title.trim()] as const,
    ),
  );
  return Object.entries(Object.fromEntries(titles)).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The requests that change something and take no `Idempotency-Key`, such as a sign-in. */
function keylessFile(): string {
  const isKeyless = ({ parameters = [] }: Operation) =>
    !parameters.some(({ name }) => name === 'Idempotency-Key');
  const requests = operationsOf(contract.paths)
    .filter(({ method, operation }) => method !== 'get' && isKeyless(operation))
    .map(({ method, path }) => `  '${method.toUpperCase()} ${path}',\n`);
  return `/** The changes that take no \`Idempotency-Key\`. */\nexport const keyless: ReadonlySet<string> = new Set([\n${requests.join('')}]);\n`;
}

const files = { schema: await schemaFile(), errors: errorsFile(), keyless: keylessFile() };

for (const [name, content] of Object.entries(files)) {
  const file = new URL(`src/generated/${name}.ts`, import.meta.url);
  const text = `// Generated from contract/openapi.json by \`npm run openapi\`.\n\n${content}`;
  if (!process.argv.includes('--check')) {
    await writeFile(file, text);
  } else if ((await readFile(file, 'utf8')) !== text) {
    console.error(`client/src/generated/${name}.ts is not current. Run: npm run openapi`);
    process.exitCode = 1;
  }
}
