import { type Static, Type } from 'typebox';
import { AnyOf, NamePrefix } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Closed, Word } from './values.ts';

const typeWords = 'What servers of it are: system containers or virtual machines.';

export const OperatingSystem = Type.Object(
  {
    id: Type.Integer({ description: 'What `os_id` refers to.', examples: [1] }),
    slug: Type.String({
      description: 'A short name that stays the same across installations.',
      examples: ['debian-12'],
    }),
    name: Type.String({ examples: ['Debian 12'] }),
    version: Type.String({ examples: ['12'] }),
    type: Word(['container', 'virtual-machine'], {
      description: typeWords,
    }),
    architecture: Type.String({ examples: ['x86_64'] }),
    minimum: Type.Object(
      {
        ram: Type.Integer({ description: 'MiB.', examples: [256] }),
        disk: Type.Integer({ description: 'GiB.', examples: [2] }),
      },
      { description: 'The least that a server needs for it.' },
    ),
    enabled: Type.Boolean({ description: 'Whether servers can be created with it.' }),
  },
  { title: 'OperatingSystem', description: 'What can be installed on a server.' },
);
export type OperatingSystem = Static<typeof OperatingSystem>;

export const OperatingSystemQuery = Closed({
  ...pageParameters,
  q: NamePrefix('operating systems', '`slug`'),
  enabled: Type.Optional(
    Type.Boolean({
      description: 'Only those that servers can (`true`) or cannot (`false`) be created with.',
      explain: 'Must be true or false.',
    }),
  ),
  type: AnyOf(
    Word(['container', 'virtual-machine'], {
      description: typeWords,
    }),
  ),
  architecture: AnyOf(
    Type.String({
      pattern: '^[a-z0-9_]{1,32}$',
      description: 'Only those for this kind of processor.',
      examples: ['x86_64'],
      explain: 'Must be the name of a processor architecture, such as x86_64.',
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
    explain: `Must be a whole number from 1 to ${most}.`,
  });

const minimum = Closed(
  { ram: least('MiB.', 1024 * 1024, 256), disk: least('GiB.', 64 * 1024, 2) },
  { description: 'The least that a server needs for it.' },
);

const enabled = Type.Boolean({
  description: 'Whether servers can be created with it. Those that are there go on.',
  explain: 'Must be true or false.',
});

export const OperatingSystemCreate = Closed(
  {
    slug: Type.String({
      pattern: '^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$',
      description: 'A short name of its own.',
      examples: ['fedora-43'],
      explain:
        'Must be 1 to 63 small letters, digits, dots or hyphens, and begin and end with neither dot nor hyphen.',
    }),
    name: text('Without the version.', 'Fedora'),
    version: text('Of the system.', '43'),
    type: Word(['container', 'virtual-machine'], {
      description: `${typeWords} Virtual machines are refused until Berth can create them.`,
      examples: ['container'],
    }),
    source: Closed(
      {
        server: Type.String({
          maxLength: 255,
          pattern: '^https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?$',
          description:
            'An image server that speaks simplestreams. Only those that this installation was set up with are taken.',
          examples: ['https://images.linuxcontainers.org'],
          explain: 'Must be the https address of an image server.',
        }),
        alias: Type.String({
          maxLength: 128,
          pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]*$',
          description: 'What the image is called there. It needs cloud-init.',
          examples: ['fedora/43/cloud'],
          explain: 'Must be the name of an image, such as fedora/43/cloud.',
        }),
      },
      { description: 'Where its image comes from, when a server first needs it.' },
    ),
    minimum,
    enabled: Type.Optional(enabled),
  },
  { title: 'OperatingSystemCreate' },
);
export type OperatingSystemCreate = Static<typeof OperatingSystemCreate>;

export const OperatingSystemUpdate = Closed(
  { minimum: Type.Optional(minimum), enabled: Type.Optional(enabled) },
  { title: 'OperatingSystemUpdate', description: 'What is left out stays as it is.' },
);
export type OperatingSystemUpdate = Static<typeof OperatingSystemUpdate>;
