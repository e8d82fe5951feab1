import { type Static, Type } from 'typebox';
import { AnyOf, NamePrefix } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Reference } from './references.ts';
import { Closed, Nullable, Timestamp, Word } from './values.ts';

const State = (description: string) =>
  Word(['online', 'offline', 'evacuated', 'cordoned', 'gone', 'lost'], {
    description,
    examples: ['online'],
  });

const CanLimit = (description: string) =>
  Nullable(
    Type.Boolean({ description: `${description} Null until it was tried.`, examples: [true] }),
  );

function Amounts(description: string, [cpu, ram, disk]: [number, number, number]) {
  const amount = (unit: string, example: number) =>
    Type.Number({ description: unit, examples: [example] });
  return Type.Object(
    { cpu: amount('Cores.', cpu), ram: amount('MiB.', ram), disk: amount('GiB.', disk) },
    { description },
  );
}

export const Node = Type.Object(
  {
    id: Type.Integer({ examples: [1] }),
    name: Type.String({
      description: 'Of the machine; in a cluster, of the member. A location has it once.',
      examples: ['node-1'],
    }),
    location_id: Type.Integer({ examples: [1] }),
    location: Type.String({ description: 'The name of its location.', examples: ['local'] }),
    state: State(
      '`offline`: it refuses connections, its cluster counts it as offline, its location is unreachable, ' +
        'or it has answered none of three looks in a row. `evacuated`: taken out of service in Incus. ' +
        '`cordoned`: takes no new servers, as an administrator wants it. `gone`: no longer a member of ' +
        'its cluster, shown while servers are on it. `lost`: an administrator has given it up.',
    ),
    status_since: Timestamp('Since when it has been in this `state`.'),
    slow_since: Nullable(
      Timestamp(
        'Since when its answers take more than 3 seconds; null while they do not. A node that is only ' +
          'slow stays `online`.',
      ),
    ),
    cordoned: Type.Boolean({
      description: 'Whether it is to take no new servers, whatever its state.',
      examples: [false],
    }),
    failure_domain: Type.String({
      description: 'What it may fail together with, as set in Incus.',
      examples: ['default'],
    }),
    incus_version: Nullable(
      Type.String({ description: 'Null until it was asked.', examples: ['6.0.4'] }),
    ),
    warnings: Type.Array(Type.String(), {
      description:
        'What an administrator should see to: holes in security that its release of Incus is known to have, ' +
        'and limits of traffic that its kernel cannot enforce.',
      examples: [[]],
    }),
    traffic_limits: Type.Object(
      { incoming: CanLimit('What comes to servers.'), outgoing: CanLimit('What servers send.') },
      {
        description:
          'Which traffic of servers its kernel can limit, which the policy `throttle` needs. Berth tries it ' +
          'once for each kernel, and each hour where it failed.',
      },
    ),
    capacity: Amounts(
      'What it has; the disk is that of the storage pool. Zeros until it was asked.',
      [16, 65536, 500],
    ),
    allocated: Amounts(
      'What its servers were given together, stopped ones included.',
      [12, 16384, 200],
    ),
    used: Amounts(
      'What is in use now: cores by its servers, memory and disk by everything on it.',
      [1.25, 9000, 42.5],
    ),
    servers: Type.Integer({ description: 'How many are on it.', examples: [8] }),
    updated_at: Timestamp('When it was last looked at.'),
  },
  { title: 'Node', description: 'A machine that servers run on.' },
);
export type Node = Static<typeof Node>;

export const NodeListQuery = Closed({
  ...pageParameters,
  q: NamePrefix('nodes', 'name'),
  location_id: AnyOf(Reference('location', 'Only those of this location.')),
  state: AnyOf(State('Only those in this state.')),
});

export const NodeQuery = Closed({
  location_id: Type.Optional(
    Reference('location', 'Its location, for a name that nodes of several locations have.'),
  ),
});

export const NodeDeclareLost = Closed(
  {
    confirm: Type.String({
      description: 'The name of the node once more: its servers and their disks are given up.',
      examples: ['node-1'],
      explain: 'Must be the name of the node.',
    }),
  },
  { title: 'NodeDeclareLost' },
);

export const NodeParams = Type.Object({
  name: Type.String({ description: 'The name.', examples: ['node-1'] }),
});
