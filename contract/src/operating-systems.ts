import { type Static, Type } from 'typebox';
import { AnyOf, NamePrefix } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { noId, notAnId } from './text.ts';
import { Closed, Id, Word } from './values.ts';

/** Those on which Berth runs, with the names of the kernel. */
const architectures = ['x86_64', 'aarch64'] as const;

const typeWords =
  'Whether servers with this operating system are system containers or virtual machines.';

const minimumWords = {
  both: 'The smallest size of a server with this operating system.',
  ram: 'The minimum memory of a server, in MiB.',
  disk: 'The minimum disk size of a server, in GiB.',
} as const;

export const OperatingSystem = Type.Object(
  {
    id: Id('the operating system', 1),
    slug: Type.String({
      description:
        'The short name of the operating system. It is unique, and the same in all installations of Berth.',
      examples: ['debian-12'],
    }),
    name: Type.String({
      description: 'The display name of the operating system.',
      examples: ['Debian 12'],
    }),
    version: Type.String({
      description: 'The version of the operating system.',
      examples: ['12'],
    }),
    type: Word(['container', 'virtual-machine'], {
      description: typeWords,
    }),
    architecture: Type.String({
      description: 'The processor architecture of the image.',
      examples: ['x86_64'],
    }),
    minimum: Type.Object(
      {
        ram: Type.Integer({ description: minimumWords.ram, examples: [256] }),
        disk: Type.Integer({ description: minimumWords.disk, examples: [2] }),
      },
      { description: minimumWords.both },
    ),
    enabled: Type.Boolean({
      description: 'Whether servers can be created with this operating system.',
    }),
  },
  {
    title: 'OperatingSystem',
    description: 'An operating system that servers can be created with.',
  },
);
export type OperatingSystem = Static<typeof OperatingSystem>;

export const OperatingSystemQuery = Closed({
  ...pageParameters,
  q: NamePrefix('operating systems', '`slug`'),
  enabled: Type.Optional(
    Type.Boolean({
      description:
        'Return only operating systems that servers can be created with (`true`), or only the others (`false`).',
      explain: 'Must be true or false.',
    }),
  ),
  type: AnyOf(
    Word(['container', 'virtual-machine'], {
      description: 'Return only operating systems of this type.',
      examples: ['container'],
    }),
  ),
  architecture: AnyOf(
    Word([...architectures], {
      description: 'Return only operating systems for this processor architecture.',
      examples: ['x86_64'],
    }),
  ),
});

const text = (description: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^[A-Za-z0-9]([A-Za-z0-9 ._+-]*[A-Za-z0-9.+])?$',
    description,
    examples: [example],
    explain: 'Must be 1 to 64 letters, digits, spaces, dots, hyphens, plus signs or underscores.',
  });

const least = (description: string, most: number, example: number) =>
  Type.Integer({
    ...{ minimum: 1, maximum: most, description, examples: [example] },
    explain: `Must be an integer from 1 to ${most}.`,
  });

const minimum = Closed(
  {
    ram: least(minimumWords.ram, 1024 * 1024, 256),
    disk: least(minimumWords.disk, 64 * 1024, 2),
  },
  { description: minimumWords.both },
);

const enabled = Type.Boolean({
  description:
    'Whether servers can be created with this operating system. Existing servers are not affected. The default for a ' +
    'new operating system is `true`.',
  explain: 'Must be true or false.',
});

export const OperatingSystemCreate = Closed(
  {
    slug: Type.String({
      pattern: `^${noId}[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$`,
      description: `The short name of the operating system. It must be unique. ${notAnId}`,
      examples: ['fedora-43'],
      explain:
        'Must be 1 to 63 lowercase letters, digits, dots or hyphens, and begin and end with a letter or digit. ' +
        notAnId,
    }),
    name: text('The name of the operating system, without its version.', 'Fedora'),
    version: text('The version of the operating system.', '43'),
    type: Word(['container', 'virtual-machine'], {
      description: `${typeWords} Only \`container\` is accepted at present.`,
      examples: ['container'],
    }),
    source: Closed(
      {
        server: Type.String({
          maxLength: 255,
          pattern: '^https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?$',
          description:
            'The URL of an image server with the simplestreams protocol. It must be among the image servers that the ' +
            'operator of the installation allows.',
          examples: ['https://images.linuxcontainers.org'],
          explain: 'Must be the https:// URL of an image server.',
        }),
        alias: Type.String({
          maxLength: 128,
          pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]*$',
          description:
            'The alias of the image on the image server. The image must contain cloud-init.',
          examples: ['fedora/43/cloud'],
          explain: 'Must be the alias of an image, such as fedora/43/cloud.',
        }),
      },
      { description: 'The source of the image, which is downloaded when a server first needs it.' },
    ),
    minimum,
    enabled: Type.Optional(enabled),
  },
  { title: 'OperatingSystemCreate', description: 'The operating system to add.' },
);
export type OperatingSystemCreate = Static<typeof OperatingSystemCreate>;

export const OperatingSystemUpdate = Closed(
  { minimum: Type.Optional(minimum), enabled: Type.Optional(enabled) },
  {
    title: 'OperatingSystemUpdate',
    description: 'The fields to change. Fields that are omitted are not changed.',
  },
);
export type OperatingSystemUpdate = Static<typeof OperatingSystemUpdate>;
