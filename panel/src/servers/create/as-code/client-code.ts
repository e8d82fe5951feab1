import { hasPassword, type ShownRequest } from './request.ts';

/** The create as a program with `@berth/client`. Secrets are in its environment. */
export function clientCodeOf({ url, project, body }: ShownRequest): string {
  const { ssh_keys, ...others } = body;
  const fields = Object.entries({ ...others, ...(ssh_keys.length > 0 && { ssh_keys }) })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${literal(value)}`);
  if (hasPassword(body)) fields.push("password: process.env.ROOT_PASSWORD ?? ''");
  return `import { createBerth, waitForOperation } from '@berth/client';

const berth = createBerth({
  url: ${literal(url)},
  token: process.env.BERTH_TOKEN,${project === undefined ? '' : `\n  project: ${literal(project)},`}
});

const { data: server } = await berth.POST('/v1/servers', {
  body: {
${fields.map((field) => `    ${field},`).join('\n')}
  },
});

await waitForOperation(berth, server.operation.id);
`;
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([key, one]) => `${keyOf(key)}: ${literal(one)}`);
  return `{ ${fields.join(', ')} }`;
}

/** A computed key is one of the object itself even if it is called `__proto__`. */
const keyOf = (key: string) => (/^[A-Za-z]\w*$/.test(key) ? key : `[${quoted(key)}]`);

/** In single quotes, with the escapes of JSON. */
const quoted = (text: string) =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replace(/\\(.)|'/g, (found, escaped?: string) =>
      found === "'" ? "\\'" : escaped === '"' ? '"' : found,
    )}'`;
