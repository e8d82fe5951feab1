import { type Static, Type } from 'typebox';
import { AnyOf, NamePrefix } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Reference } from './references.ts';
import { Closed, Id, Nullable, Timestamp, Word } from './values.ts';

const Status = (description: string, options: { deprecated?: true } = {}) =>
  Word(['online', 'offline', 'evacuated', 'cordoned', 'gone', 'lost'], {
    description,
    examples: ['online'],
    ...options,
  });

const CanLimit = (what: string) =>
  Nullable(
    Type.Boolean({
      description: `Whether the kernel can limit the traffic that servers ${what}. Null until Berth has tried it.`,
      examples: [true],
    }),
  );

function Amounts(description: string, [cpu, ram, disk]: [number, number, number]) {
  const amount = (unit: string, example: number) =>
    Type.Number({ description: unit, examples: [example] });
  return Type.Object(
    {
      cpu: amount('The number of CPU cores.', cpu),
      ram: amount('The amount of memory, in MiB.', ram),
      disk: amount('The amount of disk space, in GiB.', disk),
    },
    { description },
  );
}

export const Node = Type.Object(
  {
    id: Id('the node', 1),
    name: Type.String({
      description:
        'The host name of the node; in a cluster, the name of the member. It is unique within its location.',
      examples: ['node-1'],
    }),
    location_id: Id('the location that the node belongs to', 1),
    location: Type.String({
      description: 'The name of the location that the node belongs to.',
      examples: ['local'],
    }),
    status: Status(
      'The status of the node. `online`: it answers and accepts new servers. `offline`: it refuses connections, its ' +
        'cluster reports it as offline, its location cannot be reached, or it has not answered three health checks ' +
        'in a row. `evacuated`: it was taken out of service in Incus. `cordoned`: it accepts no new servers, because ' +
        'an administrator cordoned it. `gone`: it is no longer a member of its cluster, and servers are still ' +
        'recorded on it. `lost`: an administrator has declared it lost.',
    ),
    state: Status('Deprecated since 1.0.0-rc.1: use `status`, which has the same value.', {
      deprecated: true,
    }),
    status_since: Timestamp('The time of the last change of `status`.'),
    slow_since: Nullable(
      Timestamp(
        'The time since which the node has taken more than 3 seconds to answer. A slow node stays `online`. Null ' +
          'while it answers in time.',
      ),
    ),
    cordoned: Type.Boolean({
      description:
        'Whether an administrator has cordoned the node, so that it accepts no new servers in any state.',
      examples: [false],
    }),
    failure_domain: Type.String({
      description:
        'The failure domain of the node, as configured in Incus. Nodes of one failure domain may fail together.',
      examples: ['default'],
    }),
    incus_version: Nullable(
      Type.String({
        description: 'The version of Incus on the node. Null until it has been read.',
        examples: ['6.0.4'],
      }),
    ),
    warnings: Type.Array(
      Type.String({
        description: 'A warning, as human-readable text.',
        examples: ['Its kernel cannot limit what comes to servers: it lacks sch_htb.'],
      }),
      {
        description:
          'Problems that an administrator should solve: known vulnerabilities of the installed release of Incus, and ' +
          'traffic limits that the kernel cannot enforce.',
        examples: [[]],
      },
    ),
    traffic_limits: Type.Object(
      { incoming: CanLimit('receive'), outgoing: CanLimit('send') },
      {
        description:
          'Which traffic of servers the kernel of the node can limit. The traffic policy `throttle` depends on it. ' +
          'Berth tests each kernel once, and repeats a test that failed every hour.',
      },
    ),
    capacity: Amounts(
      'The resources of the node; the disk space is that of its storage pool. All are 0 until they have been read.',
      [16, 65536, 500],
    ),
    allocatable: Amounts(
      'The resources that its servers can have together: `capacity` times the `overcommit` of its location. One server ' +
        'gets no more than `capacity`.',
      [256, 65536, 2000],
    ),
    allocated: Amounts(
      'The resources that are allocated to the servers of the node, including stopped ones.',
      [12, 16384, 200],
    ),
    used: Amounts(
      'The resources that are in use: CPU cores by its servers, memory and disk space by everything on the node.',
      [1.25, 9000, 42.5],
    ),
    servers: Type.Integer({ description: 'The number of servers on the node.', examples: [8] }),
    updated_at: Timestamp(
      'The time at which the status and the figures of the node were last read.',
    ),
  },
  {
    title: 'Node',
    description:
      'A machine that runs servers: a member of an Incus cluster, or a single Incus server.',
  },
);
export type Node = Static<typeof Node>;

export const NodeListQuery = Closed({
  ...pageParameters,
  q: NamePrefix('nodes', 'name'),
  location_id: AnyOf(Reference('location', 'Return only nodes of this location.')),
  status: AnyOf(Status('Return only nodes with this status.')),
  // The older name of `status`.
  state: AnyOf(Status('Return only nodes with this status.'), { undocumented: true }),
});

export const NodeQuery = Closed({
  location_id: Type.Optional(
    Reference(
      'location',
      'The location of the node. It is needed if nodes of several locations have this name.',
    ),
  ),
});

export const NodeDeclareLost = Closed(
  {
    confirm: Type.String({
      description:
        'The name of the node once more, as a confirmation that its servers and their disks are given up.',
      examples: ['node-1'],
      explain: 'Must be the name of the node.',
    }),
  },
  { title: 'NodeDeclareLost', description: 'The confirmation that the node is lost.' },
);

export const NodeParams = Type.Object({
  name: Type.String({ description: 'The name of the node.', examples: ['node-1'] }),
});
