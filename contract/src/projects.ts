import { type Static, Type } from 'typebox';
import { NamePrefix } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Description } from './text.ts';
import { Closed, Nullable, Timestamp } from './values.ts';

const quotaWords = {
  servers: 'Servers.',
  cpu: 'Cores of all servers together.',
  ram: 'MiB of memory of all servers together.',
  disk: 'GiB of disk of all servers together.',
  addresses: 'IP addresses of all servers together.',
} as const;

/** What a project is limited in. */
export type QuotaName = keyof typeof quotaWords;
export const quotaNames = Object.keys(quotaWords) as QuotaName[];

const mostOfAnything = 2_000_000_000;

function limit(description: string) {
  const explain = `Must be a whole number from 0 to ${mostOfAnything}, or null for no limit.`;
  const type = ['integer', 'null'];
  return Type.Unsafe<number | null>({
    ...{ type, minimum: 0, maximum: mostOfAnything, examples: [10], explain },
    description: `${description} Null: no limit.`,
  });
}

const limits = {
  servers: limit(quotaWords.servers),
  cpu: limit(quotaWords.cpu),
  ram: limit(quotaWords.ram),
  disk: limit(quotaWords.disk),
  addresses: limit(quotaWords.addresses),
};

const outputsWords =
  'MiB of what the initial commands of its servers printed, as it is stored, compressed. Beyond that the oldest ' +
  'outputs are removed; no create is refused.';

/** Not among `quotaNames`: no server holds them, and no create is refused for them. */
const outputs = limit(`${outputsWords} 16 in a new project unless it says otherwise.`);

const uniqueNames =
  'Whether no two of its servers may have the same name, whatever the case of its letters. A server ' +
  'that is deleted holds its name until it is gone.';

export const Project = Type.Object(
  {
    id: Type.Integer({ examples: [1] }),
    name: Type.String({ examples: ['default'] }),
    description: Type.String({ examples: ['Servers of the web team'] }),
    unique_names: Type.Boolean({ description: uniqueNames, examples: [true] }),
    quota: Type.Object(
      { ...limits, outputs },
      { description: 'What its servers may hold together, and what is kept of them.' },
    ),
    created_at: Timestamp('When it was made.'),
    deleted_at: Nullable(Timestamp('When it was deleted; null while it was not.')),
  },
  {
    title: 'Project',
    description: 'Whom servers, tokens and their history belong to. No project sees another.',
  },
);
export type Project = Static<typeof Project>;

const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^[A-Za-z0-9]([A-Za-z0-9 ._-]*[A-Za-z0-9])?$',
    description: 'Unique, whatever the case of its letters.',
    examples: ['web-team'],
    explain:
      'Must be 1 to 64 letters, digits, spaces, dots, hyphens or underscores, beginning and ending with a letter or digit.',
  }),
  description: Type.Optional(
    Description({ description: 'For people.', examples: ['Servers of the web team'] }),
  ),
  unique_names: Type.Optional(
    Type.Boolean({
      description: `${uniqueNames} In a new project \`true\` unless it says otherwise.`,
      examples: [true],
      explain: 'Must be true or false.',
    }),
  ),
  quota: Type.Optional(
    Closed(
      {
        servers: Type.Optional(limits.servers),
        cpu: Type.Optional(limits.cpu),
        ram: Type.Optional(limits.ram),
        disk: Type.Optional(limits.disk),
        addresses: Type.Optional(limits.addresses),
        outputs: Type.Optional(outputs),
      },
      {
        description:
          'What is left out stays as it is; in a new project it is without limit, but for `outputs`.',
      },
    ),
  ),
};

export const ProjectCreate = Closed(fields, { title: 'ProjectCreate' });
export type ProjectCreate = Static<typeof ProjectCreate>;

export const ProjectUpdate = Closed(
  { ...fields, name: Type.Optional(fields.name) },
  { title: 'ProjectUpdate', description: 'What is left out stays as it is.' },
);
export type ProjectUpdate = Static<typeof ProjectUpdate>;

export const ProjectQuery = Closed({
  ...pageParameters,
  q: NamePrefix('projects', 'name'),
  include_deleted: Type.Optional(
    Type.Boolean({
      description:
        'Whether to list deleted projects as well, whose statements can still be read. For administrators.',
      explain: 'Must be true or false.',
    }),
  ),
});

function use(description: string) {
  return Type.Object(
    {
      limit: Nullable(Type.Integer({ description: 'Null: no limit.', examples: [10] })),
      used: Type.Integer({ description: 'By its servers now.', examples: [3] }),
    },
    { description },
  );
}

export const ProjectQuota = Type.Object(
  {
    servers: use(quotaWords.servers),
    cpu: use(quotaWords.cpu),
    ram: use(quotaWords.ram),
    disk: use(quotaWords.disk),
    addresses: use(quotaWords.addresses),
    outputs: Type.Object(
      {
        limit: Nullable(Type.Integer({ description: 'Null: no limit.', examples: [16] })),
        used: Type.Integer({ description: 'Now, rounded up.', examples: [2] }),
      },
      { description: outputsWords },
    ),
  },
  { title: 'ProjectQuota', description: 'What a project may hold, and what it holds.' },
);
export type ProjectQuota = Static<typeof ProjectQuota>;
