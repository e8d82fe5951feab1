import { items } from '@berth/client';
import { columnsOf, referring } from '../output/columns.ts';
import { age, moment } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';
import { changeVerb } from '../verbs/change.ts';
import { listVerb } from '../verbs/list.ts';
import { noun } from '../verbs/noun.ts';
import { defined } from '../verbs/options.ts';
import { showVerb } from '../verbs/show.ts';
import { readPublicKey } from './public-key.ts';

const columns = columnsOf<Schemas['SshKey']>(
  {
    id: (key) => key.id,
    name: (key) => key.name,
    fingerprint: (key) => key.fingerprint,
    public_key: (key) => key.public_key,
    project_id: referring('project', (key) => key.project_id),
    created_at: { of: (key) => key.created_at, text: ({ created_at }) => moment(created_at) },
    age: { of: (key) => key.created_at, text: ({ created_at }) => age(created_at) },
  },
  ['id', 'name', 'fingerprint', 'age'],
  ({ name }) => name,
);

const list = listVerb({
  summary: 'List SSH keys',
  columns,
  options: (command) =>
    command.option('--search <text>', 'only those whose name begins with this text'),
  rows: (berth, { search, pageSize }) =>
    items(berth, '/v1/ssh-keys', { params: { query: defined({ q: search, limit: pageSize }) } }),
});

const show = showVerb({
  summary: 'Show an SSH key',
  argument: '<ssh-key>',
  columns,
  get: (berth, id) => berth.GET('/v1/ssh-keys/{id}', { params: { path: { id } } }),
});

const create = changeVerb({
  name: 'create',
  summary: 'Add an SSH key for new servers',
  about: 'In a terminal, it offers the public keys in ~/.ssh if none is given.',
  argument: '<name>',
  argumentIs: 'its name, such as laptop',
  columns,
  options: (command) =>
    command
      .option('--file <file>', 'the public key: ~/.ssh/id_ed25519.pub, or - for standard input')
      .option('--public-key <key>', 'the public key itself: "ssh-ed25519 AAAA…"'),
  request: async (berth, name, given, cli) =>
    berth.POST('/v1/ssh-keys', { body: { name, public_key: await readPublicKey(cli, given) } }),
  sentence: ({ name, fingerprint }) => `SSH key ${name} is added: ${fingerprint}.`,
});

const rename = changeVerb({
  name: 'rename',
  summary: 'Rename an SSH key',
  argument: '<ssh-key>',
  columns,
  options: (command) => command.requiredOption('--name <name>', 'the new name'),
  request: (berth, id, { name }) =>
    berth.PATCH('/v1/ssh-keys/{id}', { params: { path: { id } }, body: { name } }),
  sentence: ({ name }, before) => `SSH key ${before} is ${name} now.`,
});

const remove = changeVerb({
  name: 'delete',
  summary: 'Delete an SSH key',
  about: 'Servers that have it keep it.',
  argument: '<ssh-key>',
  columns,
  warning: (name) => `The SSH key ${name} will be deleted; servers that have it keep it.`,
  request: (berth, id) => berth.DELETE('/v1/ssh-keys/{id}', { params: { path: { id } } }),
  sentence: ({ name }) => `SSH key ${name} is deleted.`,
});

export const sshKey = noun('ssh-key', 'Manage the SSH keys for new servers.', [
  ...[list, show, create, rename, remove],
]);
