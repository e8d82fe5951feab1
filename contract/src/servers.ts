import { type Static, Type } from 'typebox';
import { AnyOf, NamePrefix, period } from './filters.ts';
import { OperationOutcome } from './operations.ts';
import { pageParameters, sortParameter } from './pagination.ts';
import { Reference } from './references.ts';
import { whetherStale } from './usage.ts';
import { Closed, maxId, Nullable, Timestamp, Word } from './values.ts';

const Status = (description: string) =>
  Word(['creating', 'started', 'stopped', 'paused', 'deleting', 'error'], {
    description,
    examples: ['started'],
  });

const Ip = Type.String({ description: 'IPv4 or IPv6.', examples: ['10.84.1.17'] });

export const ServerAddress = Type.Object(
  {
    ip: Ip,
    is_primary: Type.Boolean({ description: 'One of a server is.', examples: [true] }),
  },
  { title: 'ServerAddress' },
);

function Traffic(description: string) {
  return Type.Object(
    {
      value: Type.Integer({ description: 'Bytes in this month.', examples: [734003200] }),
      prev: Type.Integer({ description: 'Bytes in the month before.', examples: [0] }),
      is_exceeded: Type.Boolean({
        description: 'Whether it counts towards the allowance, and that is used up.',
      }),
    },
    { description },
  );
}

export const Usage = Type.Object(
  {
    cpu: Type.Number({ description: "Percent of the server's own cores.", examples: [12.5] }),
    ram: Type.Number({ description: 'MiB, without the page cache.', examples: [310.2] }),
    disk: Type.Number({
      description:
        'GiB that the storage pool charges to it. On btrfs, data of its image counts once the server has written it anew, and data that a snapshot holds goes on counting.',
      examples: [1.4],
    }),
    traffic: Type.Object(
      {
        incoming: Traffic('To the server.'),
        outgoing: Traffic('From the server.'),
        read_at: Nullable(Timestamp('When it was last counted; null before the first time.')),
        is_stale: Type.Boolean({ description: `Of the traffic: ${whetherStale}` }),
      },
      { description: 'By calendar month, in UTC.' },
    ),
    read_at: Nullable(Timestamp('When `cpu` and `ram` were read; null before the first time.')),
    is_stale: Type.Boolean({ description: `Of \`cpu\` and \`ram\`: ${whetherStale}` }),
    disk_read_at: Nullable(
      Timestamp(
        'When `disk` was read; null before the first time, or where its pool can not tell.',
      ),
    ),
    is_disk_stale: Type.Boolean({ description: `Of \`disk\`: ${whetherStale}` }),
  },
  { title: 'Usage', description: 'What the server uses, in the units of `specifications`.' },
);

const specifications = {
  cpu: Type.Integer({ description: 'Cores.', examples: [2] }),
  ram: Type.Integer({ description: 'MiB.', examples: [2048] }),
  disk: Type.Integer({ description: 'GiB.', examples: [20] }),
};

export type Usage = Static<typeof Usage>;

const warnings = (description: string) =>
  Type.Array(
    Type.String({
      examples: [
        'All IPv4 address pools of this location are disabled, so the server has no IPv4 address.',
      ],
    }),
    { description, examples: [[]] },
  );

export const Server = Type.Object(
  {
    id: Type.Integer({ examples: [42] }),
    hostname: Type.String({ description: 'The `name` of its create.', examples: ['web-1'] }),
    uuid: Type.String({ examples: ['6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10'] }),
    status: Status('Where its life is at. `/status` tells more while something is under way.'),
    node: Type.String({ description: 'The machine that it runs on.', examples: ['node-1'] }),
    os: Type.String({ description: 'The name of its operating system.', examples: ['Debian 12'] }),
    specifications: Type.Object(specifications, { description: 'What it has.' }),
    ip_addresses: Type.Array(ServerAddress, { description: 'The primary one first.' }),
    usage: Usage,
    created_at: Timestamp('When it was asked for.'),
    project_id: Type.Integer({ description: 'Whose it is.', examples: [1] }),
    location_id: Type.Integer({ examples: [1] }),
    os_id: Type.Integer({ examples: [1] }),
    group: Nullable(
      Type.String({ description: 'The `group` of its create.', examples: ['database'] }),
    ),
    error: Nullable(
      Type.String({
        description: 'What is wrong with it; null while nothing is.',
        examples: ['The image could not be downloaded.'],
      }),
    ),
    initial_commands: Type.Object(
      {
        total: Type.Integer({
          minimum: 0,
          description: 'How many the create, or the last rebuild, was given.',
          examples: [3],
        }),
        failed: Type.Integer({
          minimum: 0,
          description:
            'How many of them ended with an exit status other than 0, so far. The server runs all the same; ' +
            '`commands` of its create (`GET /v1/operations?server_id={id}&kind=create`) says which, and what they printed.',
          examples: [1],
        }),
      },
      { description: 'What became of the `initialCommands`.' },
    ),
    unavailable: Nullable(
      Type.Object(
        {
          reason: Type.String({
            description: 'For a person to read.',
            examples: ['Its node node-1 does not answer.'],
          }),
          since: Timestamp('Since when nobody knows.'),
        },
        { description: 'Why nobody knows how it is at the moment; null while its node answers.' },
      ),
    ),
    allowed_actions: Type.Array(
      Word(['start', 'stop', 'restart', 'retry', 'rebuild', 'delete'], {
        description: 'An action.',
      }),
      { description: 'What may be asked of it now.', examples: [['stop', 'restart', 'delete']] },
    ),
    warnings: Type.Optional(
      warnings(
        'What the server lacks though the location could have it. Only in the answer to a create, where there is any.',
      ),
    ),
  },
  { title: 'Server', description: 'A virtual server.' },
);
export type Server = Static<typeof Server>;

export const ServerCreated = Type.Object(
  { ...Server.properties, operation: OperationOutcome },
  {
    title: 'ServerCreated',
    description:
      'The new server, and the operation that creates it. The server is ready once ' +
      '`operation.status` is `succeeded`.',
  },
);
export type ServerCreated = Static<typeof ServerCreated>;

export const ServerStatusRecord = Type.Object(
  {
    status: Type.String({
      description:
        'What happens to the server now, for a person to read. When nothing does: how the server is, and ' +
        'that its last operation, or some of its initial commands, failed.',
      examples: [
        'Creating the server: running command 2 of 3',
        'The server is in the error state. Last operation: Creating the server failed: The storage pool is full.',
      ],
    }),
    real_status: Word(['started', 'stopped', 'paused', 'error', 'not_exists', 'unavailable'], {
      description:
        'What its engine says now. `not_exists`: there is no machine yet, or no longer. ' +
        '`unavailable`: its engine cannot be asked.',
      examples: ['started'],
    }),
    is_processing: Type.Boolean({
      description:
        'Whether an operation is under way. A program that waits for its end looks at this field.',
    }),
    progress: Type.Integer({
      minimum: 0,
      maximum: 100,
      description:
        'Percent of the operation that is under way; it never falls. When none is: 100, or what the last ' +
        'operation had reached when it failed.',
      examples: [80],
    }),
  },
  { title: 'ServerStatus', description: 'What happens to a server now.' },
);
export type ServerStatusRecord = Static<typeof ServerStatusRecord>;

// Labels and length: RFC 1123, section 2.1; dotted decimal is left to addresses there.
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const hostNamePattern = `^(?![0-9]+(?:\\.[0-9]+){3}$)${label}(?:\\.${label})*$`;

// Longer ones libxcrypt takes for wrong (crypt(3), CRYPT_MAX_PASSPHRASE_SIZE).
const maxPasswordBytes = 511;
const passwordPattern = '^[^\\p{Cc}\\p{Cs}]*$';
/** Tab, line feed and carriage return are the only control characters of a script. */
const commandPattern =
  '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$';
const maxCommandBytes = 4096;

const ShellCommand = Type.String({
  pattern: commandPattern,
  maxBytes: maxCommandBytes,
  description: 'Run by `/bin/sh -c`.',
});

const ArgvCommand = Type.Array(Type.String({ pattern: commandPattern }), {
  minItems: 1,
  maxBytes: maxCommandBytes,
  description: 'A program and its arguments, run as they are.',
});

const Command = Type.Union([ShellCommand, ArgvCommand], {
  explain:
    'Must be a text, or a list of at least one text, of at most 4 KiB, ' +
    'with no control characters but tabs and line breaks.',
});

const Group = (description: string) =>
  Type.String({
    pattern: '^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$',
    description,
    examples: ['database'],
    explain:
      'Must be 1 to 63 letters, digits, dots, hyphens and underscores, with a letter or digit at both ends.',
  });

function Amount(unit: string, description: string, example: number) {
  const explain = `Must be a whole number of ${unit}, from 1.`;
  return Type.Integer({ minimum: 1, maximum: maxId, description, examples: [example], explain });
}

export const ServerCreate = Closed(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 253,
      pattern: hostNamePattern,
      description: 'Its host name (RFC 1123). Not an IP address.',
      examples: ['web-1'],
      explain:
        'Must be a host name: letters, digits and hyphens, in labels of 1 to 63 characters ' +
        'separated by dots, 253 at most, and not an IP address.',
    }),
    location_id: Reference('location', 'Where it runs: `GET /v1/locations`.'),
    os_id: Reference('operating_system', 'What is installed: `GET /v1/operating-systems`.'),
    password: Type.String({
      minLength: 8,
      maxLength: 128,
      maxBytes: maxPasswordBytes,
      pattern: passwordPattern,
      description: 'For root. Kept as a hash only, and only while the server is created.',
      examples: ['correct horse battery staple'],
      explain: 'Must be 8–128 characters, at most 511 UTF-8 bytes, without control characters.',
    }),
    initialCommands: Type.Array(Command, {
      maxItems: 64,
      description:
        'Run as root, in order, once, after the installation. May be empty. A command may restart the ' +
        'server or power it off, as `poweroff` does: the server is started again, and the next command ' +
        'runs, so that the server is `started` in the end. After two hours the create ends and says so; ' +
        'what runs then runs on.',
      examples: [['apt-get update', ['touch', '/root/ready']]],
      explain: 'Must be a list of at most 64 commands; an empty list will do.',
    }),
    cpu: Amount('cores', 'Cores, within the limits of the location.', 2),
    ram: Amount('MiB', 'MiB, within the limits of the location and the operating system.', 2048),
    disk: Amount('GiB', 'GiB, within the limits of the location and the operating system.', 20),
    group: Type.Optional(
      Group('Keeps the servers of a group of this project apart: on other machines, where it can.'),
    ),
  },
  { title: 'ServerCreate', description: 'Every field but `group` is required.' },
);
export type ServerCreate = Static<typeof ServerCreate>;

export const ServerCreateQuery = Closed({
  // Has its own path since: it answers something else than a create.
  dry_run: Type.Optional(Type.Boolean({ explain: 'Must be true or false.', undocumented: true })),
});

export const ServerDryRun = Type.Object(
  {
    node: Type.String({ description: 'The machine that it would run on.', examples: ['node-1'] }),
    ip_addresses: Type.Array(ServerAddress, {
      description: 'What it would get, unless another create takes them first.',
    }),
    quota: Type.Object(
      {
        servers: Type.Integer({ description: 'One more server.', examples: [1] }),
        ...specifications,
        addresses: Type.Integer({ description: 'IP addresses.', examples: [2] }),
      },
      { description: 'What it would add to what the project uses.' },
    ),
    warnings: warnings('What the server would lack though the location could have it.'),
  },
  { title: 'ServerDryRun', description: 'What a create would come to.' },
);
export type ServerDryRun = Static<typeof ServerDryRun>;

const Force = (description: string) =>
  Type.Optional(
    Type.Boolean({
      description: `${description} False by default.`,
      explain: 'Must be true or false.',
    }),
  );

export const ServerStop = Closed(
  {
    force: Force(
      'Cuts the power instead of asking the guest to shut down, as the query parameter `force` does.',
    ),
  },
  { title: 'ServerStop' },
);

export const ServerStopQuery = Closed({
  force: Force(
    'Cuts the power instead of asking the guest to shut down. `force` of the body does the same; one of ' +
      'them is enough.',
  ),
});
export type ServerStop = Static<typeof ServerStop>;

export const ServerRebuild = Closed(
  {
    password: ServerCreate.properties.password,
    initialCommands: ServerCreate.properties.initialCommands,
  },
  { title: 'ServerRebuild', description: 'Both are required.' },
);
export type ServerRebuild = Static<typeof ServerRebuild>;

export const ServerMove = Closed(
  {
    node: Type.Optional(
      Type.String({
        pattern: '^[^\\p{Cc}\\p{Cs}]{1,253}$',
        description: 'Where to: the name of a node of its location. Without it one is chosen.',
        examples: ['node-2'],
        explain: 'Must be the name of a node.',
      }),
    ),
  },
  { title: 'ServerMove' },
);
export type ServerMove = Static<typeof ServerMove>;

export const ServerQuery = Closed({
  ...pageParameters,
  sort: sortParameter(['id', 'hostname', 'created_at']),
  all_projects: Type.Optional(
    Type.Boolean({
      description: 'Those of every project, for administrators.',
      explain: 'Must be true or false.',
    }),
  ),
  project_id: AnyOf(
    Reference('project', 'Only those of this project: for administrators, of any project.'),
  ),
  q: NamePrefix('servers', 'host name'),
  status: AnyOf(Status('Only those in this state.')),
  location_id: AnyOf(Reference('location', 'Only those in this location.')),
  os_id: AnyOf(Reference('operating_system', 'Only those with this operating system.')),
  group: AnyOf(Group('Only those of this group.')),
  node: AnyOf(Reference('node', 'Only those on this node.')),
  hostname: AnyOf(
    Type.String({
      pattern: '^[^\\p{Cc}\\p{Cs}]{1,253}$',
      description: 'Only those of this host name, whatever the case of its letters.',
      examples: ['web-1'],
      explain: 'Must be a host name.',
    }),
  ),
  ip: AnyOf(
    Type.String({
      anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }],
      description: 'Only the one that holds this address.',
      examples: ['10.84.1.17'],
      explain: 'Must be an IPv4 or IPv6 address.',
    }),
  ),
  ...period('servers', 'requested'),
});
export type ServerQuery = Static<typeof ServerQuery>;
