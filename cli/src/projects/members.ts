import { items } from '@berth/client';
import { columnsOf } from '../output/columns.ts';
import { moment } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';
import { changeVerb } from '../verbs/change.ts';
import { listVerb } from '../verbs/list.ts';
import { noun } from '../verbs/noun.ts';
import { choice, defined } from '../verbs/options.ts';
import { showVerb } from '../verbs/show.ts';
import { ownProject } from './own.ts';

const roles = ['viewer', 'member', 'owner'] as const;

const columns = columnsOf<Schemas['Member']>(
  {
    user_id: (member) => member.user_id,
    email: (member) => member.email,
    name: (member) => member.name,
    role: (member) => member.role,
    since: { of: (member) => member.since, text: ({ since }) => moment(since) },
  },
  ['user_id', 'email', 'name', 'role', 'since'],
  ({ email }) => email,
);

const onePath = '/v1/projects/{id}/members/{user_id}';

const list = listVerb({
  summary: 'List the members of the project',
  columns,
  options: (command) =>
    command.option('--search <text>', 'only those whose email address begins with this text'),
  async *rows(berth, { search, pageSize }, cli) {
    const params = {
      path: { id: await ownProject(cli) },
      query: defined({ limit: pageSize, q: search }),
    };
    yield* items(berth, '/v1/projects/{id}/members', { params });
  },
});

const show = showVerb({
  summary: 'Show a member of the project',
  argument: '<member>',
  columns,
  get: async (berth, user_id, cli) =>
    berth.GET(onePath, { params: { path: { id: await ownProject(cli), user_id } } }),
});

const add = changeVerb({
  name: 'add',
  summary: 'Add a user to the project',
  argument: '<user>',
  argumentIs: 'the email address',
  columns,
  options: (command) =>
    command.addOption(
      choice('--role <role>', 'what they may do', roles).default('member' as const),
    ),
  request: async (berth, email, { role }, cli) =>
    berth.POST('/v1/projects/{id}/members', {
      params: { path: { id: await ownProject(cli) } },
      body: { email, role },
    }),
  sentence: ({ email, role }) =>
    `${email} is ${role === 'owner' ? 'an' : 'a'} ${role} of the project.`,
});

const update = changeVerb({
  name: 'update',
  summary: 'Change the role of a member',
  argument: '<member>',
  columns,
  options: (command) =>
    command.addOption(choice('--role <role>', 'what they may do', roles).makeOptionMandatory()),
  request: async (berth, user_id, { role }, cli) =>
    berth.PUT(onePath, {
      params: { path: { id: await ownProject(cli), user_id } },
      body: { role },
    }),
  sentence: ({ email, role }) =>
    `${email} is ${role === 'owner' ? 'an' : 'a'} ${role} of the project.`,
});

const remove = changeVerb({
  name: 'remove',
  summary: 'Remove a member from the project',
  argument: '<member>',
  columns,
  warning: (name) => `${name} will be removed from the project.`,
  request: async (berth, user_id, _, cli) =>
    berth.DELETE(onePath, { params: { path: { id: await ownProject(cli), user_id } } }),
  sentence: ({ email }) => `${email} is removed from the project.`,
});

export const member = noun('member', 'Manage who belongs to a project (--project).', [
  ...[list, show, add, update, remove],
]);
