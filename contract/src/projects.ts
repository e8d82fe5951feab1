import { type Static, Type } from 'typebox';
import { NamePrefix } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Description, noId, notAnId } from './text.ts';
import { Closed, Id, Nullable, Timestamp } from './values.ts';

const quotaWords = {
  servers: 'The number of servers.',
  cpu: 'The number of CPU cores of all servers together.',
  ram: 'The memory of all servers together, in MiB.',
  disk: 'The disk space of all servers together, in GiB.',
  addresses: 'The number of IP addresses of all servers together.',
} as const;

/** The quotas of a project. */
export type QuotaName = keyof typeof quotaWords;
export const quotaNames = Object.keys(quotaWords) as QuotaName[];

const mostOfAnything = 2_000_000_000;

function limit(description: string, example = 10) {
  const explain = `Must be an integer from 0 to ${mostOfAnything}, or null for no limit.`;
  const type = ['integer', 'null'];
  return Type.Unsafe<number | null>({
    ...{ type, minimum: 0, maximum: mostOfAnything, examples: [example], explain },
    description: `${description} Null if there is no limit.`,
  });
}

const limits = {
  servers: limit(quotaWords.servers),
  cpu: limit(quotaWords.cpu, 16),
  ram: limit(quotaWords.ram, 32768),
  disk: limit(quotaWords.disk, 500),
  addresses: limit(quotaWords.addresses),
};

const outputsWords =
  'The output of initial commands that is kept for all servers together, in MiB, as it is stored, compressed. Beyond ' +
  'the limit the oldest outputs are removed; no request is refused.';

/** This quota is not one of `quotaNames`, because servers do not use it, and creates are not refused because of it. */
const outputs = limit(`${outputsWords} The default for a new project is 16.`, 16);

const uniqueNames =
  'Whether the names of the servers of the project must be unique. The comparison ignores case. A server that is being ' +
  'deleted keeps its name until it is gone.';

const sizesOnly =
  'Whether servers of the project can only be created with, and resized to, the sizes of `GET /v1/sizes`. Servers that have ' +
  'no such size keep theirs.';

export const Project = Type.Object(
  {
    id: Id('the project', 1),
    name: Type.String({ description: 'The name of the project.', examples: ['default'] }),
    description: Type.String({
      description: 'A human-readable description. It may be empty.',
      examples: ['Servers of the web team'],
    }),
    unique_names: Type.Boolean({ description: uniqueNames, examples: [true] }),
    sizes_only: Type.Boolean({ description: sizesOnly, examples: [false] }),
    quota: Type.Object(
      { ...limits, outputs },
      { description: 'The limits for all servers of the project together.' },
    ),
    created_at: Timestamp('The time at which the project was created.'),
    deleted_at: Nullable(
      Timestamp('The time at which the project was deleted. Null unless it was deleted.'),
    ),
  },
  {
    title: 'Project',
    description:
      'The owner of servers, tokens and their history. Projects are isolated from each other: no request with the ' +
      'token of one project shows anything of another.',
  },
);
export type Project = Static<typeof Project>;

const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: `^${noId}[A-Za-z0-9]([A-Za-z0-9 ._-]*[A-Za-z0-9])?$`,
    description: `The name of the project. It must be unique; the comparison ignores case. ${notAnId}`,
    examples: ['web-team'],
    explain:
      'Must be 1 to 64 letters, digits, spaces, dots, hyphens or underscores, beginning and ending with a letter or digit. ' +
      notAnId,
  }),
  description: Type.Optional(
    Description({
      description: 'A human-readable description. The default is an empty text.',
      examples: ['Servers of the web team'],
    }),
  ),
  unique_names: Type.Optional(
    Type.Boolean({
      description: `${uniqueNames} The default for a new project is \`true\`.`,
      examples: [true],
      explain: 'Must be true or false.',
    }),
  ),
  sizes_only: Type.Optional(
    Type.Boolean({
      description: `${sizesOnly} The default for a new project is \`false\`.`,
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
          'The limits for all servers of the project together. A limit below the current usage prevents growth, and removes nothing, except for `outputs`. Limits that are omitted are not changed; a new project has only the limit `outputs`.',
      },
    ),
  ),
};

export const ProjectCreate = Closed(fields, {
  title: 'ProjectCreate',
  description: 'The project to create.',
});
export type ProjectCreate = Static<typeof ProjectCreate>;

export const ProjectUpdate = Closed(
  { ...fields, name: Type.Optional(fields.name) },
  {
    title: 'ProjectUpdate',
    description: 'The fields to change. Fields that are omitted are not changed.',
  },
);
export type ProjectUpdate = Static<typeof ProjectUpdate>;

export const ProjectQuery = Closed({
  ...pageParameters,
  q: NamePrefix('projects', 'name'),
  include_deleted: Type.Optional(
    Type.Boolean({
      description:
        'Whether to return deleted projects as well. Their statements can still be retrieved. Only administrators can ' +
        'set this. The default is `false`.',
      explain: 'Must be true or false.',
    }),
  ),
});

function use(description: string) {
  return Type.Object(
    {
      limit: Nullable(
        Type.Integer({ description: 'The limit. Null if there is none.', examples: [10] }),
      ),
      used: Type.Integer({
        description: 'How much of it the servers of the project use now.',
        examples: [3],
      }),
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
        limit: Nullable(
          Type.Integer({
            description: 'The limit, in MiB. Null if there is none.',
            examples: [16],
          }),
        ),
        used: Type.Integer({
          description: 'How much of it is in use now, in MiB, rounded up.',
          examples: [2],
        }),
      },
      { description: outputsWords },
    ),
  },
  {
    title: 'ProjectQuota',
    description: 'The limits of a project, and how much of each is in use.',
  },
);
export type ProjectQuota = Static<typeof ProjectQuota>;
