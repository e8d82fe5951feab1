import { type Static, Type } from 'typebox';
import { NamePrefix } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Reference } from './references.ts';
import { Description } from './text.ts';
import { Closed, Id, Nullable, Timestamp, Word } from './values.ts';

function Bounds(what: string, min: number, max: number) {
  return Type.Object(
    {
      min: Type.Integer({ description: `The minimum ${what}.`, examples: [min] }),
      max: Type.Integer({ description: `The maximum ${what}.`, examples: [max] }),
    },
    { description: `The minimum and maximum ${what}.` },
  );
}

/** What a server has, with its unit. */
const sizeWords = {
  cpu: 'number of CPU cores of a server',
  ram: 'memory of a server, in MiB',
  disk: 'disk size of a server, in GiB',
} as const;

export const trafficPolicyWords = {
  counted: Word(['outgoing', 'incoming', 'both'], {
    description:
      'Which traffic counts towards the allowance: what servers send (`outgoing`), what they receive (`incoming`), or both.',
    examples: ['outgoing'],
  }),
  policy: Word(['none', 'throttle', 'stop'], {
    description:
      'What happens to a server that has used up its traffic allowance, until the next month begins (UTC). ' +
      '`none`: nothing happens. `throttle`: its bandwidth is limited to `traffic_throttle`. `stop`: it is stopped, ' +
      'and can be neither started nor restarted.',
    examples: ['throttle'],
  }),
};

const smtp = Word(['blocked', 'open'], {
  description:
    'Whether connections of servers to port 25 (SMTP) of hosts outside the location are `blocked` or `open`. Port 587 (mail submission) is always open.',
  examples: ['blocked'],
});

const throttle = {
  description:
    'The bandwidth in each direction to which the `traffic_policy` `throttle` limits a server, in Mbit/s. Null if ' +
    'no rate is set; the policy `throttle` requires one.',
  examples: [10],
};

const IncusProject = Type.String({
  ...{ minLength: 1, maxLength: 63, pattern: '^[^\\s/_\'"*]+$' },
  description: 'The name of an Incus project.',
  explain: 'Must be the name of an Incus project.',
  examples: ['default'],
});

const overcommitWords = {
  cpu: 'The overcommit ratio of CPU cores. With 16, a node with 4 cores has 64 to allocate.',
  ram: 'The overcommit ratio of memory. With 1, no more memory is allocated than the node has.',
  disk: 'The overcommit ratio of disk space. With 4, a node with 500 GiB has 2000 GiB to allocate.',
} as const;

export const Location = Type.Object(
  {
    id: Id('the location', 1),
    name: Type.String({
      description: 'The name of the location. It is unique.',
      examples: ['local'],
    }),
    description: Type.String({
      description: 'A human-readable description. It may be empty.',
      examples: ['This machine'],
    }),
    limits: Type.Object(
      {
        cpu: Bounds(sizeWords.cpu, 1, 16),
        ram: Bounds(sizeWords.ram, 128, 65536),
        disk: Bounds(sizeWords.disk, 1, 500),
      },
      {
        description:
          'The sizes that a new server at this location can have; both bounds are inclusive. No maximum is larger ' +
          'than what the largest node has. An operating system may need more: see its `minimum`.',
      },
    ),
    overcommit: Type.Object(
      {
        cpu: Type.Number({ description: overcommitWords.cpu, examples: [16] }),
        ram: Type.Number({ description: overcommitWords.ram, examples: [1] }),
        disk: Type.Number({ description: overcommitWords.disk, examples: [4] }),
      },
      {
        description:
          'The overcommit ratios: how many times the resources of a node can be allocated to its servers.',
      },
    ),
    enabled: Type.Boolean({ description: 'Whether servers can be created at this location.' }),
    reachable: Type.Boolean({
      description: 'Whether the engine of this location can be reached at the moment.',
    }),
    unreachable_reason: Nullable(
      Type.String({
        description:
          'Why the engine cannot be reached. Only administrators are told the exact cause. Null while it can be.',
        examples: ['The engine of this location cannot be used at the moment.'],
      }),
    ),
    traffic_allowance: Nullable(
      Type.Integer({
        description:
          'The traffic allowance that new servers get, in bytes per calendar month (UTC). Null if they have no limit.',
        examples: [1_000_000_000_000],
      }),
    ),
    traffic_counted: trafficPolicyWords.counted,
    traffic_policy: trafficPolicyWords.policy,
    traffic_throttle: Nullable(Type.Integer(throttle)),
    os_ids: Nullable(
      Type.Array(Id('an operating system', 1), {
        description:
          'The IDs of the operating systems that servers can be created with at this location. Null if all can be used.',
      }),
    ),
    creates_per_node: Nullable(
      Type.Integer({
        description:
          'The maximum number of servers that are created at the same time on one node. Further ones wait in a ' +
          'queue, in the order of their requests. Null stands for twice the number of cores of the node, but at least 4.',
        examples: [8],
      }),
    ),
    allowed_destinations: Type.Array(
      Type.String({ description: 'A network, in CIDR notation.', examples: ['10.20.0.0/16'] }),
      {
        description:
          'The networks that servers can connect to in addition to the Internet. Connections to all other private, ' +
          'link-local and reserved addresses, to nodes and to other servers are blocked.',
      },
    ),
    smtp,
    drift: Nullable(
      Type.Integer({
        description:
          'The number of drift records of this location that are not forgotten: see `GET /v1/drift`. Null unless an ' +
          'administrator asks.',
        examples: [0],
      }),
    ),
    adopt_from: Nullable(
      Type.Array(IncusProject, {
        description:
          'The other Incus projects of this engine whose instances are listed for adoption: see `GET ' +
          '/v1/drift?kind=foreign_instance`. Null unless an administrator asks.',
        examples: [['default']],
      }),
    ),
    network_policy: Type.Object(
      {
        status: Word(['applied', 'pending', 'unavailable'], {
          description:
            'Whether the rules are in force. `applied`: they are. `pending`: they are being applied, or could not be ' +
            'applied yet. `unavailable`: this kind of network does not support rules.',
          examples: ['applied'],
        }),
        reason: Nullable(
          Type.String({
            description:
              'Why the rules are not in force. Null if they are, or if the reason is not known.',
            examples: ['The engine did not answer in time.'],
          }),
        ),
        since: Timestamp('The time of the last change of `status`.'),
      },
      {
        description:
          'Whether the rules that `allowed_destinations` and `smtp` describe are in force in the network of this location.',
      },
    ),
  },
  {
    title: 'Location',
    description:
      'A place where servers run: an Incus server or cluster, called the engine of the location.',
  },
);
export type Location = Static<typeof Location>;

export const LocationQuery = Closed({
  ...pageParameters,
  q: NamePrefix('locations', 'name'),
  enabled: Type.Optional(
    Type.Boolean({
      description:
        'Return only locations where servers can be created (`true`), or only those where they cannot (`false`).',
      explain: 'Must be true or false.',
    }),
  ),
});

function bound(description: string, most: number, example: number) {
  const explain = `Must be an integer from 1 to ${most}.`;
  const examples = [example];
  return Type.Optional(Type.Integer({ minimum: 1, maximum: most, description, examples, explain }));
}

function bounds(what: string, most: number, [min, max]: [number, number]) {
  return Type.Optional(
    Closed(
      {
        min: bound(`The minimum ${what}.`, most, min),
        max: bound(`The maximum ${what}.`, most, max),
      },
      { description: `The minimum and maximum ${what}.` },
    ),
  );
}

function ratio(description: string, example: number) {
  const explain = 'Must be a number from 0.1 to 1000.';
  const words = { description, examples: [example], explain };
  return Type.Optional(Type.Number({ minimum: 0.1, maximum: 1000, ...words }));
}

const mostBytes = 2 ** 53 - 1;

/** Bytes a month, or null for no limit. */
export function Allowance(description: string) {
  return Type.Unsafe<number | null>({
    ...{ type: ['integer', 'null'], minimum: 0, maximum: mostBytes, description },
    examples: [1_000_000_000_000],
    explain: `Must be an integer from 0 to ${mostBytes}, or null for no limit.`,
  });
}

const mostMegabits = 1_000_000;

export const LocationUpdate = Closed(
  {
    description: Type.Optional(
      Description({
        description: 'A human-readable description. It may be empty.',
        examples: ['This machine'],
      }),
    ),
    limits: Type.Optional(
      Closed(
        {
          cpu: bounds(sizeWords.cpu, 1024, [1, 16]),
          ram: bounds(sizeWords.ram, 64 * 1024 * 1024, [128, 65536]),
          disk: bounds(sizeWords.disk, 1024 * 1024, [1, 500]),
        },
        {
          description:
            'The sizes that a new server at this location can have; both bounds are inclusive. Existing servers ' +
            'keep their size.',
        },
      ),
    ),
    overcommit: Type.Optional(
      Closed(
        {
          cpu: ratio(overcommitWords.cpu, 16),
          ram: ratio(overcommitWords.ram, 1),
          disk: ratio(overcommitWords.disk, 4),
        },
        {
          description:
            'The overcommit ratios: how many times the resources of a node can be allocated to its servers. ' +
            'Existing servers stay where they are.',
        },
      ),
    ),
    enabled: Type.Optional(
      Type.Boolean({
        description:
          'Whether servers can be created at this location. Existing servers are not affected.',
        explain: 'Must be true or false.',
      }),
    ),
    traffic_allowance: Type.Optional(
      Allowance(
        'The traffic allowance that new servers get, in bytes per calendar month (UTC). Null removes the limit.',
      ),
    ),
    os_ids: Type.Optional(
      Type.Unsafe<number[] | null>({
        type: ['array', 'null'],
        items: Reference(
          'operating_system',
          'An operating system that servers can be created with.',
        ),
        ...{ minItems: 1, maxItems: 1000, uniqueItems: true, examples: [[1, 'debian-13']] },
        description:
          'The operating systems that servers can be created with at this location. Null allows all of them.',
        explain:
          'Must be an array of 1 to 1000 different operating systems, by ID or slug, or null for all.',
      }),
    ),
    creates_per_node: Type.Optional(
      Type.Unsafe<number | null>({
        ...{ type: ['integer', 'null'], minimum: 1, maximum: 1000, examples: [8] },
        description:
          'The maximum number of servers that are created at the same time on one node. Null sets it to twice the ' +
          'number of cores of the node, but at least 4. Creations in progress are not affected.',
        explain: 'Must be an integer from 1 to 1000, or null.',
      }),
    ),
    traffic_counted: Type.Optional(trafficPolicyWords.counted),
    traffic_policy: Type.Optional(trafficPolicyWords.policy),
    allowed_destinations: Type.Optional(
      Type.Array(
        Type.String({
          maxLength: 49,
          pattern: '^[0-9a-fA-F.:]+/\\d{1,3}$',
          description: 'A network, in CIDR notation.',
          explain: 'Must be a network such as 10.20.0.0/16 or fd00:20::/48.',
          examples: ['10.20.0.0/16'],
        }),
        {
          maxItems: 100,
          description:
            'The networks that servers can connect to in addition to the Internet. A network that merely contains ' +
            'the addresses of nodes or the subnet of the servers does not open these: list the exact address or ' +
            'subnet to do that.',
          explain: 'Must be an array of at most 100 networks.',
        },
      ),
    ),
    smtp: Type.Optional(smtp),
    adopt_from: Type.Optional(
      Type.Array(IncusProject, {
        ...{ maxItems: 20, uniqueItems: true, examples: [['default']] },
        description:
          'The other Incus projects of this engine whose instances are listed for adoption, with `GET ' +
          '/v1/drift?kind=foreign_instance`, within a minute. They are only read until one is adopted.',
        explain: 'Must be an array of at most 20 different names of Incus projects.',
      }),
    ),
    traffic_throttle: Type.Optional(
      Type.Unsafe<number | null>({
        ...{ type: ['integer', 'null'], minimum: 1, maximum: mostMegabits, ...throttle },
        explain: `Must be an integer number of Mbit/s from 1 to ${mostMegabits}, or null.`,
      }),
    ),
  },
  {
    title: 'LocationUpdate',
    description: 'The fields to change. Fields that are omitted are not changed.',
  },
);
export type LocationUpdate = Static<typeof LocationUpdate>;
