import { type Static, Type } from 'typebox';
import { AnyOf, NamePrefix, period } from './filters.ts';
import { Accepted } from './operations.ts';
import { pageParameters } from './pagination.ts';
import { Reference } from './references.ts';
import { HostName } from './servers.ts';
import { Closed, Id, Nullable, Timestamp, Word } from './values.ts';

const Kind = (description: string) =>
  Word(['changed', 'missing_instance', 'unknown_instance', 'foreign_instance'], {
    description,
    examples: ['changed'],
  });

const Difference = Type.Object(
  {
    path: Type.String({
      description:
        'What differs, as in the instance in Incus: a key such as `config.limits.cpu` or `devices.eth0.ipv4.address`, a ' +
        'whole device such as `devices.eth1`, `ephemeral`, `profiles`, or `name`. It is `instance` if the instance is missing or unknown.',
      examples: ['config.limits.cpu'],
    }),
    expected: Nullable(
      Type.String({
        description: 'The value according to the records. Null if there should be none.',
        examples: ['2'],
      }),
    ),
    found: Nullable(
      Type.String({
        description: 'The value in Incus, cut off after 256 characters. Null if there is none.',
        examples: ['8'],
      }),
    ),
    since: Timestamp('The time at which this difference was first seen.'),
  },
  { description: 'A difference between the records and Incus.' },
);

const FoundAmount = (what: string, example: number) =>
  Nullable(
    Type.Integer({
      description: `The ${what} that the instance has in Incus. Null if it is not limited.`,
      examples: [example],
    }),
  );

const Adoptable = Type.Object(
  {
    cpu: FoundAmount('number of CPU cores', 2),
    ram: FoundAmount('memory, in MiB,', 2048),
    disk: FoundAmount('disk size, in GiB, rounded up,', 20),
    ip_addresses: Type.Array(
      Type.String({ description: 'An IP address.', examples: ['10.148.0.77'] }),
      {
        description:
          'The IP addresses of the instance: those that its network interface is restricted to, or else those that its guest ' +
          'uses while it is running.',
        examples: [['10.148.0.77']],
      },
    ),
    obstacles: Type.Array(
      Type.String({
        description: 'What has to be changed in Incus first, as human-readable text.',
        examples: ['It has the device data. A server has one disk and one network interface.'],
      }),
      {
        description: 'Why the instance cannot be adopted as it is. Empty if it can be.',
        examples: [[]],
      },
    ),
  },
  {
    description:
      'What a server would have after `POST /v1/drift/{id}/adopt`. Null unless `kind` is `unknown_instance` or ' +
      '`foreign_instance`.',
  },
);

export const Drift = Type.Object(
  {
    id: Id('the drift record', 5),
    kind: Kind(
      'The kind of drift. `changed`: somebody has changed the instance of a server in Incus. `missing_instance`: the ' +
        'instance of a server no longer exists. `unknown_instance`: an instance in the Incus project of the location ' +
        'belongs to no server. `foreign_instance`: an instance in another Incus project that `adopt_from` of the location ' +
        'names. It is no drift, so that it is not counted, and only listed on request.',
    ),
    location_id: Id('the location', 1),
    location: Type.String({ description: 'The name of the location.', examples: ['local'] }),
    node: Nullable(
      Type.String({
        description:
          'The name of the node that the instance is on, or was on if it is missing. Null if it is not known.',
        examples: ['node-1'],
      }),
    ),
    instance: Type.String({
      description:
        'The name of the instance in Incus. For a server, it is the name that it should have.',
      examples: ['srv-3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
    }),
    incus_project: Nullable(
      Type.String({
        description:
          'The Incus project of the instance if `kind` is `foreign_instance`. Null otherwise: it is that of the location.',
        examples: ['default'],
      }),
    ),
    server_id: Nullable(
      Type.Integer({
        description: 'The ID of the server. Null if the instance belongs to none.',
        examples: [42],
      }),
    ),
    project_id: Nullable(
      Type.Integer({
        description: 'The ID of the project of the server. Null if the instance belongs to none.',
        examples: [1],
      }),
    ),
    differences: Type.Array(Difference, { description: 'What differs, ordered by `path`.' }),
    adoptable: Nullable(Adoptable),
    since: Timestamp('The time at which the first of the differences was first seen.'),
    forgotten: Type.Boolean({
      description:
        'Whether an administrator has accepted all of the differences as they are, with `POST /v1/drift/{id}/forget`.',
      examples: [false],
    }),
  },
  {
    title: 'Drift',
    description:
      'A lasting difference between the records of Berth and an Incus, which somebody has made by hand.',
  },
);
export type Drift = Static<typeof Drift>;

export const DriftQuery = Closed({
  ...pageParameters,
  q: NamePrefix('drift records', 'instance'),
  kind: AnyOf(
    Kind(
      'Return only drift of this kind. The default is all kinds but `foreign_instance`, which is returned only if it is given.',
    ),
  ),
  location_id: AnyOf(Reference('location', 'Return only drift at this location.')),
  server_id: AnyOf(Reference('server', 'Return only drift of this server.')),
  forgotten: Type.Optional(
    Type.Boolean({
      description:
        'Whether to return only forgotten drift (`true`), or only drift that is not forgotten (`false`). The default is ' +
        '`false`.',
      explain: 'Must be true or false.',
    }),
  ),
  ...period('drift records', 'first seen'),
});
export type DriftQuery = Static<typeof DriftQuery>;

/** The largest size that any server can have, in cores, MiB and GiB. */
export const mostOfServer = { cpu: 1024, ram: 64 * 1024 * 1024, disk: 1024 * 1024 } as const;

function Amount(name: keyof typeof mostOfServer, what: string, example: number) {
  return Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: mostOfServer[name],
      description:
        `The ${what} of the server. The default is what the instance has in Incus, see \`adoptable\`; it is required if that ` +
        'is null.',
      examples: [example],
      explain: `Must be an integer from 1 to ${mostOfServer[name]}.`,
    }),
  );
}

export const DriftAdopt = Closed(
  {
    os_id: Reference(
      'operating_system',
      'The operating system of the instance, which a rebuild of the server uses. List the operating systems with `GET ' +
        '/v1/operating-systems`.',
    ),
    name: Type.Optional(
      HostName(' The default is the name of the instance, unless that has the form of a UUID.'),
    ),
    cpu: Amount('cpu', 'number of CPU cores', 2),
    ram: Amount('ram', 'amount of memory, in MiB,', 2048),
    disk: Amount('disk', 'disk size, in GiB,', 20),
  },
  { title: 'DriftAdopt', description: 'What the server of an adopted instance is to be like.' },
);
export type DriftAdopt = Static<typeof DriftAdopt>;

export const DriftAdopted = Type.Object(
  { ...Accepted.properties, server_id: Id('the server that the instance becomes', 42) },
  {
    title: 'DriftAdopted',
    description:
      'The request was accepted, and an operation adopts the instance. It is done once `operation.status` is `succeeded`.',
  },
);
export type DriftAdopted = Static<typeof DriftAdopted>;
