import { type Static, Type } from 'typebox';
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
        ram: Type.Integer({ description: 'MB.', examples: [256] }),
        disk: Type.Integer({ description: 'GB.', examples: [2] }),
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
  enabled: Type.Optional(
    Type.Boolean({
      description: 'Only those that servers can (`true`) or cannot (`false`) be created with.',
      explain: 'Must be true or false.',
    }),
  ),
  type: Type.Optional(
    Word(['container', 'virtual-machine'], {
      description: typeWords,
    }),
  ),
  architecture: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9_]{1,32}$',
      description: 'Only those for this kind of processor.',
      examples: ['x86_64'],
      explain: 'Must be the name of a processor architecture, such as x86_64.',
    }),
  ),
});
