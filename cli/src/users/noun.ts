import { type Berth, items } from '@berth/client';
import type { Cli } from '../cli.ts';
import { columnsOf } from '../output/columns.ts';
import { moment } from '../output/values.ts';
import { secretFromStdin, typedTwice } from '../prompts/password.ts';
import type { Schemas } from '../schemas.ts';
import { changesOf, changeVerb } from '../verbs/change.ts';
import { listVerb } from '../verbs/list.ts';
import { noun } from '../verbs/noun.ts';
import { defined, yesOrNo } from '../verbs/options.ts';
import { showVerb } from '../verbs/show.ts';

const columns = columnsOf<Schemas['User']>(
  {
    id: (user) => user.id,
    email: (user) => user.email,
    name: (user) => user.name,
    is_admin: (user) => user.is_admin,
    has_password: (user) => user.has_password,
    enabled: (user) => user.enabled,
    created_at: { of: (user) => user.created_at, text: ({ created_at }) => moment(created_at) },
  },
  ['id', 'email', 'name', 'is_admin', 'enabled'],
  ({ email }) => email,
);

const list = listVerb({
  summary: 'List users',
  columns,
  options: (command) =>
    command.option('--search <text>', 'only those whose email address begins with this text'),
  rows: (berth, { search, pageSize }) =>
    items(berth, '/v1/users', { params: { query: defined({ q: search, limit: pageSize }) } }),
});

const show = showVerb({
  summary: 'Show a user',
  argument: '<user>',
  columns,
  get: (berth, id) => berth.GET('/v1/users/{id}', { params: { path: { id } } }),
});

interface Secret {
  passwordStdin?: boolean | undefined;
  askPassword?: boolean | undefined;
}

/** The password of a user, if the options say that they get one. */
async function password({ io }: Cli, { passwordStdin, askPassword }: Secret, whose: string) {
  if (passwordStdin) return await secretFromStdin(io);
  return askPassword ? await typedTwice(io, `Password of ${whose}:`) : undefined;
}

/** How a user without a password signs in, if they can. */
async function withoutPassword(berth: Berth, email: string): Promise<string> {
  const { openid } = (await berth.GET('/v1/session/methods')).data;
  if (openid) return `Note: ${email} has no password, and signs in at ${openid.name} (OpenID).`;
  return `Warning: ${email} can't sign in yet, because they have no password, and this Berth has no OpenID provider.
To give them a password: berth user update ${email} --ask-password`;
}

const create = changeVerb({
  name: 'create',
  summary: 'Create a user',
  about: 'Without a password, they sign in with the OpenID provider.',
  argument: '<email>',
  argumentIs: 'the email address',
  columns,
  options: (command) =>
    command
      .option('--name <name>', 'the name')
      .option('--admin', 'an administrator, who may do everything in all projects')
      .option('--password-stdin', 'read a password from standard input')
      .option('--ask-password', 'ask for a password'),
  request: async (berth, email, { name, admin, ...secret }, cli) => {
    const more = { name, is_admin: admin, password: await password(cli, secret, email) };
    const signsIn = more.password === undefined ? await withoutPassword(berth, email) : undefined;
    const created = await berth.POST('/v1/users', { body: { email, ...defined(more) } });
    if (signsIn) cli.note(signsIn);
    return created;
  },
  sentence: ({ id, email }) => `User ${email} (${id}) is created.`,
});

const update = changeVerb({
  name: 'update',
  summary: 'Change a user',
  argument: '<user>',
  columns,
  options: (command) =>
    command
      .option('--email <email>', 'a new email address')
      .option('--name <name>', 'a new name')
      .option('--admin <yes|no>', 'whether they are an administrator', yesOrNo)
      .option('--enabled <yes|no>', 'whether they can sign in', yesOrNo)
      .option('--password-stdin', 'read a new password from standard input')
      .option('--ask-password', 'ask for a new password'),
  request: async (berth, id, { email, name, admin, enabled, ...secret }, cli) => {
    const changed = await password(cli, secret, id);
    const body = changesOf({ email, name, is_admin: admin, enabled, password: changed });
    return await berth.PATCH('/v1/users/{id}', { params: { path: { id } }, body });
  },
  sentence: ({ email }) => `User ${email} is changed.`,
});

const remove = changeVerb({
  name: 'delete',
  summary: 'Delete a user',
  argument: '<user>',
  columns,
  warning: (name) => `The user ${name} will be deleted, and their tokens revoked.`,
  request: (berth, id) => berth.DELETE('/v1/users/{id}', { params: { path: { id } } }),
  sentence: ({ email }) => `User ${email} is deleted.`,
});

export const user = noun('user', 'Manage the people who can sign in.', [
  ...[list, show, create, update, remove],
]);
