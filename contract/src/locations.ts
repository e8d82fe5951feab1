import { type Static, Type } from 'typebox';
import { NamePrefix } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Reference } from './references.ts';
import { Description } from './text.ts';
import { Closed, Nullable, Timestamp, Word } from './values.ts';

function Bounds(description: string, min: number, max: number) {
  return Type.Object(
    {
      min: Type.Integer({ description: 'The least that a server may have.', examples: [min] }),
      max: Type.Integer({ description: 'The most that a server may have.', examples: [max] }),
    },
    { description },
  );
}

export const trafficPolicyWords = {
  counted: Word(['outgoing', 'incoming', 'both'], {
    description: 'Which traffic counts towards an allowance.',
    examples: ['outgoing'],
  }),
  policy: Word(['none', 'throttle', 'stop'], {
    description:
      'What happens to a server whose allowance is used up, until the month turns: nothing, it is ' +
      'held to `traffic_throttle`, or it is stopped and can be neither started nor restarted.',
    examples: ['throttle'],
  }),
};

const smtp = Word(['blocked', 'open'], {
  description:
    'Whether servers may send to port 25 (SMTP) outside. Port 587, by which mail is handed in, is not held back.',
  examples: ['blocked'],
});

const throttle = { description: 'Mbit/s, each direction; for `throttle`.', examples: [10] };

export const Location = Type.Object(
  {
    id: Type.Integer({ description: 'What `location_id` refers to.', examples: [1] }),
    name: Type.String({ examples: ['local'] }),
    description: Type.String({ examples: ['This machine'] }),
    limits: Type.Object(
      {
        cpu: Bounds('Cores.', 1, 16),
        ram: Bounds('MiB.', 128, 65536),
        disk: Bounds('GiB.', 1, 500),
      },
      {
        description:
          'What a server here may have, both ends included. Never more than the largest node has.',
      },
    ),
    overcommit: Type.Object(
      {
        cpu: Type.Number({ description: 'Cores.', examples: [16] }),
        ram: Type.Number({ description: 'Memory.', examples: [1] }),
        disk: Type.Number({ description: 'Disk.', examples: [4] }),
      },
      { description: 'How many times what each node has may be given to servers.' },
    ),
    enabled: Type.Boolean({ description: 'Whether servers can be created here.' }),
    reachable: Type.Boolean({ description: 'Whether its engine answers at the moment.' }),
    unreachable_reason: Nullable(
      Type.String({ description: 'Why its engine does not answer; null while it does.' }),
    ),
    traffic_allowance: Nullable(
      Type.Integer({
        description: 'Of new servers: bytes that one may move in a month; null for no limit.',
        examples: [1_000_000_000_000],
      }),
    ),
    traffic_counted: trafficPolicyWords.counted,
    traffic_policy: trafficPolicyWords.policy,
    traffic_throttle: Nullable(Type.Integer(throttle)),
    os_ids: Nullable(
      Type.Array(Type.Integer({ examples: [1] }), {
        description: 'The operating systems that servers here can be created with; null for all.',
      }),
    ),
    creates_per_node: Nullable(
      Type.Integer({
        description:
          'How many servers are created on each node at once. Others wait for their turn, in the order ' +
          "they were asked for. Null for twice the node's cores, and 4 at least.",
        examples: [8],
      }),
    ),
    allowed_destinations: Type.Array(Type.String({ examples: ['10.20.0.0/16'] }), {
      description:
        'Networks that servers here may reach beside the Internet. All other private, link-local and ' +
        'reserved addresses are closed to them, and so are the nodes and other servers.',
    }),
    smtp,
    network_policy: Type.Object(
      {
        status: Word(['applied', 'pending', 'unavailable'], {
          description:
            'Whether the network holds servers to it: `applied`; `pending` until it does; `unavailable` ' +
            'where the kind of network has no rules.',
          examples: ['applied'],
        }),
        reason: Nullable(Type.String({ description: 'Why it does not, as far as is known.' })),
        since: Timestamp('Since when it is so.'),
      },
      { description: 'How far `allowed_destinations` and `smtp` hold.' },
    ),
  },
  { title: 'Location', description: 'Where servers run: an Incus server or cluster.' },
);
export type Location = Static<typeof Location>;

export const LocationQuery = Closed({
  ...pageParameters,
  q: NamePrefix('locations', 'name'),
  enabled: Type.Optional(
    Type.Boolean({
      description: 'Only those where servers can (`true`) or cannot (`false`) be created.',
      explain: 'Must be true or false.',
    }),
  ),
});

function bound(description: string, most: number) {
  const explain = `Must be a whole number from 1 to ${most}.`;
  return Type.Optional(Type.Integer({ minimum: 1, maximum: most, description, explain }));
}

function bounds(unit: string, most: number) {
  return Type.Optional(
    Closed({ min: bound(`The least. ${unit}`, most), max: bound(`The most. ${unit}`, most) }),
  );
}

function ratio(description: string) {
  const explain = 'Must be a number from 0.1 to 1000.';
  return Type.Optional(Type.Number({ minimum: 0.1, maximum: 1000, description, explain }));
}

const mostBytes = 2 ** 53 - 1;

/** Bytes a month, or null for no limit. */
export function Allowance(description: string) {
  return Type.Unsafe<number | null>({
    ...{ type: ['integer', 'null'], minimum: 0, maximum: mostBytes, description },
    examples: [1_000_000_000_000],
    explain: `Must be a whole number from 0 to ${mostBytes}, or null for no limit.`,
  });
}

const mostMegabits = 1_000_000;

export const LocationUpdate = Closed(
  {
    description: Type.Optional(
      Description({ description: 'For people.', examples: ['This machine'] }),
    ),
    limits: Type.Optional(
      Closed(
        {
          cpu: bounds('Cores.', 1024),
          ram: bounds('MiB.', 64 * 1024 * 1024),
          disk: bounds('GiB.', 1024 * 1024),
        },
        { description: 'What a server here may have. Those that are there keep what they have.' },
      ),
    ),
    overcommit: Type.Optional(
      Closed(
        { cpu: ratio('Cores.'), ram: ratio('Memory.'), disk: ratio('Disk.') },
        {
          description:
            'How many times what each node has may be given to servers. Those that are there stay.',
        },
      ),
    ),
    enabled: Type.Optional(
      Type.Boolean({
        description: 'Whether servers can be created here. Those that are there go on.',
        explain: 'Must be true or false.',
      }),
    ),
    traffic_allowance: Type.Optional(
      Allowance('Of new servers: bytes a month; null for no limit.'),
    ),
    os_ids: Type.Optional(
      Type.Unsafe<number[] | null>({
        type: ['array', 'null'],
        items: Reference('operating_system', 'One.'),
        ...{ minItems: 1, maxItems: 1000, uniqueItems: true, examples: [[1, 'debian-13']] },
        description: 'The operating systems of new servers, by id or `slug`; null for all.',
        explain:
          'Must be a list of 1 to 1000 different operating systems, by id or slug, or null for all.',
      }),
    ),
    creates_per_node: Type.Optional(
      Type.Unsafe<number | null>({
        ...{ type: ['integer', 'null'], minimum: 1, maximum: 1000, examples: [8] },
        description:
          "How many servers are created on each node at once; null for twice the node's cores, and 4 at " +
          'least. Those that are being created go on.',
        explain: 'Must be a whole number from 1 to 1000, or null.',
      }),
    ),
    traffic_counted: Type.Optional(trafficPolicyWords.counted),
    traffic_policy: Type.Optional(trafficPolicyWords.policy),
    allowed_destinations: Type.Optional(
      Type.Array(
        Type.String({
          maxLength: 49,
          pattern: '^[0-9a-fA-F.:]+/\\d{1,3}$',
          explain: 'Must be a network such as 10.20.0.0/16 or fd00:20::/48.',
          examples: ['10.20.0.0/16'],
        }),
        {
          maxItems: 100,
          description:
            'Networks that servers here may reach beside the Internet. One that only contains nodes or the ' +
            'subnet of the servers does not open those: name the very address or subnet to do so.',
          explain: 'Must be a list of at most 100 networks.',
        },
      ),
    ),
    smtp: Type.Optional(smtp),
    traffic_throttle: Type.Optional(
      Type.Unsafe<number | null>({
        ...{ type: ['integer', 'null'], minimum: 1, maximum: mostMegabits, ...throttle },
        explain: `Must be a whole number of Mbit/s from 1 to ${mostMegabits}, or null.`,
      }),
    ),
  },
  { title: 'LocationUpdate', description: 'What is left out stays as it is.' },
);
export type LocationUpdate = Static<typeof LocationUpdate>;
