import { BerthError, items } from '@berth/client';
import type { Command, OptionValues } from '@commander-js/extra-typings';
import { columnsOf } from '../output/columns.ts';
import { gib, mib, moment } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';
import { changesOf, changeVerb } from '../verbs/change.ts';
import { listVerb } from '../verbs/list.ts';
import { noun } from '../verbs/noun.ts';
import { defined, diskSize, limitOrNone, memory, orNone, yesOrNo } from '../verbs/options.ts';
import { showVerb } from '../verbs/show.ts';
import { ownProject } from './own.ts';

type Quota = Schemas['ProjectQuota'];
/** What is in use is known of a project that is shown alone. */
type Project = Schemas['Project'] & { inUse?: Quota };
type Limits = Project['quota'];

const usedOf = (used: string, limit: string | null) =>
  limit === null ? `${used}, no limit` : `${used} of ${limit}`;

const limit = (part: keyof Limits, shown: (size: number) => string = String) => ({
  of: ({ quota }: Project) => quota[part],
  text: ({ quota, inUse }: Project) => {
    const size = quota[part];
    if (inUse) return usedOf(shown(inUse[part].used), size === null ? null : shown(size));
    return size === null ? 'unlimited' : shown(size);
  },
});

const columns = columnsOf<Project>(
  {
    id: (project) => project.id,
    name: (project) => project.name,
    description: (project) => project.description,
    unique_names: (project) => project.unique_names,
    sizes_only: (project) => project.sizes_only,
    servers: limit('servers'),
    cpu: limit('cpu'),
    ram: limit('ram', mib),
    disk: limit('disk', gib),
    addresses: limit('addresses'),
    outputs: limit('outputs', mib),
    created_at: {
      of: (project) => project.created_at,
      text: ({ created_at }) => moment(created_at),
    },
    deleted_at: {
      of: (project) => project.deleted_at,
      text: ({ deleted_at }) => (deleted_at === null ? '-' : moment(deleted_at)),
    },
  },
  ['id', 'name', 'description', 'servers', 'cpu', 'ram', 'disk', 'addresses'],
  ({ name }) => name,
);

const list = listVerb({
  summary: 'List projects',
  columns,
  options: (command) =>
    command
      .option('--search <text>', 'only those whose name begins with this text')
      .option('--deleted', 'deleted projects as well; only administrators can list them'),
  rows: (berth, { search, deleted, pageSize }) => {
    const query = defined({ limit: pageSize, q: search, include_deleted: deleted });
    return items(berth, '/v1/projects', { params: { query } });
  },
});

const show = showVerb<Project>({
  summary: 'Show a project, its quota, and how much of it is used',
  argument: '[project]',
  own: ownProject,
  columns,
  get: (berth, id) => berth.GET('/v1/projects/{id}', { params: { path: { id } } }),
  async more(berth, id) {
    const params = { path: { id } };
    try {
      return { inUse: (await berth.GET('/v1/projects/{id}/quota', { params })).data };
    } catch (error) {
      // Such as that of a deleted project.
      if (error instanceof BerthError) return {};
      throw error;
    }
  },
});

const used = (part: keyof Quota, shown: (size: number) => string = String) => ({
  of: (quota: Quota) => `${quota[part].used}/${quota[part].limit ?? ''}`,
  text: (quota: Quota) => {
    const { used, limit } = quota[part];
    return usedOf(shown(used), limit === null ? null : shown(limit));
  },
});

const quotaColumns = columnsOf<Quota>(
  {
    ...{ servers: used('servers'), cpu: used('cpu'), ram: used('ram', mib) },
    ...{ disk: used('disk', gib), addresses: used('addresses'), outputs: used('outputs', mib) },
  },
  ['servers', 'cpu', 'ram', 'disk', 'addresses'],
  () => 'quota',
);

const quota = showVerb({
  name: 'quota',
  summary: 'Show the quota of a project, and how much of it is used',
  argument: '[project]',
  own: ownProject,
  columns: quotaColumns,
  get: (berth, id) => berth.GET('/v1/projects/{id}/quota', { params: { path: { id } } }),
});

const quotaOptions = <Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) =>
  command
    .option('--description <text>', 'for people')
    .option('--unique-names <yes|no>', 'whether each server has a different name', yesOrNo)
    .option('--sizes-only <yes|no>', 'whether its servers can only have one of the sizes', yesOrNo)
    .option('--servers <number>', 'the most servers, or none for no limit', limitOrNone)
    .option('--cpu <cores>', 'the most CPU cores of all servers together', limitOrNone)
    .option(
      '--ram <amount>',
      'the most memory of all servers together: 4096 (MiB), 4G or none',
      orNone(memory),
    )
    .option(
      '--disk <amount>',
      'the most disk space of all servers together: 100 (GiB), 1T or none',
      orNone(diskSize),
    )
    .option('--addresses <number>', 'the most IP addresses of all servers together', limitOrNone)
    .option(
      '--outputs <amount>',
      'the most output of initial commands: 64 (MiB), 1G or none',
      orNone(memory),
    );

interface Changes extends Partial<Limits> {
  description?: string;
  uniqueNames?: boolean;
  sizesOnly?: boolean;
}

function bodyOf({
  description,
  uniqueNames,
  sizesOnly,
  servers,
  cpu,
  ram,
  disk,
  addresses,
  outputs,
}: Changes) {
  const limits = defined({ servers, cpu, ram, disk, addresses, outputs }) as Partial<Limits>;
  const quota = Object.keys(limits).length > 0 ? limits : undefined;
  return { description, unique_names: uniqueNames, sizes_only: sizesOnly, quota };
}

const create = changeVerb({
  name: 'create',
  summary: 'Create a project',
  about: 'Only administrators can create projects.',
  argument: '<name>',
  argumentIs: 'its name',
  columns,
  options: quotaOptions,
  request: (berth, name, options) =>
    berth.POST('/v1/projects', { body: { name, ...defined(bodyOf(options as Changes)) } }),
  sentence: ({ id, name }) => `Project ${name} (${id}) is created.`,
});

const update = changeVerb({
  name: 'update',
  summary: 'Change a project and its quota',
  argument: '<project>',
  columns,
  options: (command) => quotaOptions(command.option('--name <name>', 'a new name')),
  request: (berth, id, { name, ...options }) =>
    berth.PATCH('/v1/projects/{id}', {
      params: { path: { id } },
      body: changesOf({ name, ...bodyOf(options as Changes) }),
    }),
  sentence: ({ name }) => `Project ${name} is changed.`,
});

const remove = changeVerb({
  name: 'delete',
  summary: 'Delete a project that has no servers',
  argument: '<project>',
  columns,
  warning: (name) => `The project ${name} will be deleted, and its tokens revoked.`,
  request: (berth, id) => berth.DELETE('/v1/projects/{id}', { params: { path: { id } } }),
  sentence: ({ name }) => `Project ${name} is deleted.`,
});

export const project = noun('project', 'Manage projects, and see their quotas.', [
  ...[list, show, quota, create, update, remove],
]);
