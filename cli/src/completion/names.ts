import { type Berth, items } from '@berth/client';
import type { Argument, CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { readContexts } from '../contexts/file.ts';
import { gib, mib } from '../output/values.ts';

export interface Named {
  name: string;
  about?: string | undefined;
}

/** Finds the objects whose names begin with a text. */
type Find = (berth: Berth, begin: string, cli: Cli) => AsyncIterable<Named>;

const find = <Row>(
  rows: (berth: Berth, begin: string) => AsyncIterable<Row>,
  named: (row: Row) => Named,
): Find =>
  async function* (berth, begin) {
    for await (const row of rows(berth, begin)) yield named(row);
  };

const startingWith = (q: string) => ({
  params: { query: { limit: 200, ...(q !== '' && { q }) } },
});

/**
 * How the names are found of what an argument or an option is called after: `<server>`, `--os <os>`. The shell completes
 * them, and errors suggest similar ones.
 */
export const finders: Record<string, Find> = {
  server: find(
    (berth, q) => items(berth, '/v1/servers', startingWith(q)),
    ({ hostname, status, os }) => ({ name: hostname, about: `${status}, ${os}` }),
  ),
  'ssh-key': find(
    (berth, q) => items(berth, '/v1/ssh-keys', startingWith(q)),
    ({ name, fingerprint }) => ({ name, about: fingerprint }),
  ),
  webhook: find(
    (berth, q) => items(berth, '/v1/webhooks', startingWith(q)),
    ({ name, url, status }) => ({ name, about: `${status}, ${url}` }),
  ),
  location: find(
    (berth, q) => items(berth, '/v1/locations', startingWith(q)),
    ({ name, description }) => ({ name, about: description }),
  ),
  size: find(
    (berth, q) => items(berth, '/v1/sizes', startingWith(q)),
    ({ name, cpu, ram, disk, deprecated }) => ({
      name,
      about: `${cpu} CPU, ${mib(ram)}, ${gib(disk)}${deprecated ? ', deprecated' : ''}`,
    }),
  ),
  os: find(
    (berth, q) => items(berth, '/v1/operating-systems', startingWith(q)),
    ({ slug, name, version }) => ({ name: slug, about: `${name} ${version}` }),
  ),
  project: find(
    (berth, q) => items(berth, '/v1/projects', startingWith(q)),
    ({ name, description }) => ({ name, about: description }),
  ),
  token: find(
    (berth, q) => items(berth, '/v1/tokens', startingWith(q)),
    ({ name, scopes }) => ({ name, about: scopes.join(' ') }),
  ),
  user: find(
    (berth, q) => items(berth, '/v1/users', startingWith(q)),
    ({ email, name }) => ({ name: email, about: name }),
  ),
  node: find(
    (berth, q) => items(berth, '/v1/nodes', startingWith(q)),
    ({ name, status, location }) => ({ name, about: `${status}, ${location}` }),
  ),
  drift: find(
    (berth) => items(berth, '/v1/drift', { params: { query: { limit: 200 } } }),
    ({ id, kind, instance }) => ({ name: String(id), about: `${kind} ${instance}` }),
  ),
  operation: find(
    (berth) => latest(berth),
    ({ id, message }) => ({ name: String(id), about: message }),
  ),
  member: async function* (berth, q) {
    const { data } = await berth.GET('/v1/whoami');
    const params = { path: { id: data.project.id }, query: startingWith(q).params.query };
    const members = items(berth, '/v1/projects/{id}/members', { params });
    for await (const { email, role } of members) yield { name: email, about: role };
  },
  'address-pool': find(
    (berth) => items(berth, '/v1/address-pools', { params: { query: { limit: 200 } } }),
    ({ id, cidr }) => ({ name: String(id), about: cidr }),
  ),
  context: async function* (_, __, { io }) {
    for (const [name, { url }] of Object.entries(readContexts(io).contexts)) {
      yield { name, about: url };
    }
  },
};

/** The newest operations: nobody wants to choose among all. */
async function* latest(berth: Berth) {
  const query = { sort: '-id', limit: 20 } as const;
  yield* (await berth.GET('/v1/operations', { params: { query } })).data;
}

/** What an option takes: `os` for `--os <os>`. */
export const placeholderOf = ({ flags }: Pick<Option, 'flags'>) =>
  /[<[]([^>\].]+)/.exec(flags)?.[1] ?? '';

interface Given {
  noun: string;
  value: string;
}

/** The arguments and options of a command line that have names, with the nouns. */
export function namesGiven(command: CommandUnknownOpts): Given[] {
  const list = (value: unknown) => [value].flat().filter((one) => typeof one === 'string');
  const ofArguments = command.registeredArguments.flatMap((argument: Argument, index) =>
    list(command.processedArgs[index]).map((value) => ({ noun: argument.name(), value })),
  );
  const values = command.opts() as Record<string, unknown>;
  const ofOptions = command.options.flatMap((option) =>
    list(values[option.attributeName()]).map((value) => ({ noun: placeholderOf(option), value })),
  );
  return [...ofArguments, ...ofOptions].filter(({ noun }) => Object.hasOwn(finders, noun));
}
