import { items } from '@berth/client';
import { columnsOf } from '../output/columns.ts';
import { gib, mib } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';
import { changesOf, changeVerb } from '../verbs/change.ts';
import { listVerb } from '../verbs/list.ts';
import { noun } from '../verbs/noun.ts';
import { choice, defined, diskSize, memory, yesOrNo } from '../verbs/options.ts';
import { showVerb } from '../verbs/show.ts';
import { osNamed } from './named.ts';

const columns = columnsOf<Schemas['OperatingSystem']>(
  {
    id: (os) => os.id,
    slug: (os) => os.slug,
    name: (os) => os.name,
    version: (os) => os.version,
    type: (os) => os.type,
    architecture: (os) => os.architecture,
    min_ram: { of: (os) => os.minimum.ram, text: ({ minimum }) => mib(minimum.ram) },
    min_disk: { of: (os) => os.minimum.disk, text: ({ minimum }) => gib(minimum.disk) },
    enabled: (os) => os.enabled,
  },
  ['id', 'slug', 'name', 'version', 'type', 'architecture', 'min_ram', 'min_disk', 'enabled'],
  ({ slug }) => slug,
);

const types = ['container', 'virtual-machine'] as const;
const architectures = ['x86_64', 'aarch64'] as const;

const list = listVerb({
  summary: 'List operating systems',
  columns,
  options: (command) =>
    command
      .option('--search <text>', 'only those whose slug begins with this text')
      .option('--enabled <yes|no>', 'only those that can be installed, or not', yesOrNo)
      .addOption(choice('--type <type...>', 'only those of these types', types))
      .addOption(choice('--architecture <name...>', 'only those for these', architectures)),
  rows: (berth, { search, enabled, type, architecture, pageSize }) => {
    const query = defined({ limit: pageSize, q: search, enabled, type, architecture });
    return items(berth, '/v1/operating-systems', { params: { query } });
  },
});

const show = showVerb({
  summary: 'Show an operating system',
  argument: '<os>',
  columns,
  get: async (berth, name, cli) => {
    const path = { id: await osNamed(cli, name) };
    return await berth.GET('/v1/operating-systems/{id}', { params: { path } });
  },
});

const create = changeVerb({
  name: 'create',
  summary: 'Add an operating system from an image server',
  about: 'Only administrators can add them.',
  argument: '<slug>',
  argumentIs: 'its short name, such as debian-13',
  columns,
  options: (command) =>
    command
      .requiredOption('--name <name>', 'the name without the version: Debian')
      .requiredOption('--version <version>', 'the version: 13')
      .requiredOption('--image-server <url>', 'where the image comes from')
      .requiredOption('--alias <alias>', 'the alias of the image there: debian/13/cloud')
      .requiredOption('--min-ram <amount>', 'the least memory of a server: 256M', memory)
      .requiredOption('--min-disk <amount>', 'the smallest disk of a server: 2G', diskSize)
      .addOption(choice('--type <type>', 'of its servers', types).default('container' as const))
      .option('--disabled', 'servers cannot be created with it yet'),
  request: (berth, slug, { imageServer, alias, minRam, minDisk, disabled, ...options }) =>
    berth.POST('/v1/operating-systems', {
      body: {
        ...{ slug, name: options.name, version: options.version, type: options.type },
        source: { server: imageServer, alias },
        minimum: { ram: minRam, disk: minDisk },
        enabled: !disabled,
      },
    }),
  sentence: ({ slug }) => `Operating system ${slug} is added.`,
});

const update = changeVerb({
  name: 'update',
  summary: 'Change an operating system',
  about: 'Only administrators can change them.',
  argument: '<os>',
  columns,
  options: (command) =>
    command
      .option('--enabled <yes|no>', 'whether servers can be created with it', yesOrNo)
      .option('--min-ram <amount>', 'the least memory of a server: 256M', memory)
      .option('--min-disk <amount>', 'the smallest disk of a server: 2G', diskSize),
  request: async (berth, asked, { enabled, minRam, minDisk }, cli) => {
    const params = { path: { id: await osNamed(cli, asked) } };
    const isSized = minRam !== undefined || minDisk !== undefined;
    const now = isSized ? (await berth.GET('/v1/operating-systems/{id}', { params })).data : null;
    const minimum = now && {
      ram: minRam ?? now.minimum.ram,
      disk: minDisk ?? now.minimum.disk,
    };
    const body = changesOf({ enabled, minimum: minimum ?? undefined });
    return await berth.PATCH('/v1/operating-systems/{id}', { params, body });
  },
  sentence: ({ slug }) => `Operating system ${slug} is changed.`,
});

export const os = noun('os', 'See what can be installed.', [list, show, create, update]);
