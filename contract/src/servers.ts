import { type Static, Type } from 'typebox';
import { AnyOf, NamePrefix, period } from './filters.ts';
import { LabelSelector, Labels, LabelsPatch, NewLabels } from './labels.ts';
import { Accepted, OperationOutcome } from './operations.ts';
import { pageParameters, sortParameter } from './pagination.ts';
import { Reference } from './references.ts';
import { offeredActions } from './server-actions.ts';
import { sshKeyInShort } from './ssh-keys.ts';
import { Notes, noId, notAnId } from './text.ts';
import { whetherStale } from './usage.ts';
import { Closed, Id, maxId, Nullable, Timestamp, Word } from './values.ts';

const Status = (description: string) =>
  Word(['creating', 'started', 'stopped', 'paused', 'deleting', 'error'], {
    description,
    examples: ['started'],
  });

const Ip = Type.String({ description: 'An IPv4 or IPv6 address.', examples: ['10.84.1.17'] });

export const ServerAddress = Type.Object(
  {
    ip: Ip,
    is_primary: Type.Boolean({
      description:
        'Whether this is the primary address of the server. A server has one primary address.',
      examples: [true],
    }),
  },
  { title: 'ServerAddress', description: 'An IP address of a server.' },
);

function Traffic(description: string) {
  return Type.Object(
    {
      value: Type.Integer({
        description: 'The traffic of the current calendar month (UTC), in bytes.',
        examples: [734003200],
      }),
      prev: Type.Integer({
        description: 'The traffic of the previous calendar month (UTC), in bytes.',
        examples: [0],
      }),
      is_exceeded: Type.Boolean({
        description:
          'Whether traffic in this direction counts towards the allowance, and the allowance is used up.',
      }),
    },
    { description },
  );
}

export const Usage = Type.Object(
  {
    cpu: Type.Number({
      description:
        'The CPU usage, in percent of all cores of the server together: 100 means that all are busy. It is 0 while the ' +
        'server is stopped, and until it is read for the first time.',
      examples: [12.5],
    }),
    ram: Type.Number({
      description:
        'The memory in use, in MiB, without the page cache. It is 0 while the server is stopped, and until it is read for the ' +
        'first time.',
      examples: [310.2],
    }),
    disk: Type.Number({
      description:
        'The disk space that the storage pool accounts to the server, in GiB. On btrfs, data of the image counts once ' +
        'the server has rewritten it, and data in a snapshot keeps counting. It is 0 until it is read for the first time.',
      examples: [1.4],
    }),
    traffic: Type.Object(
      {
        incoming: Traffic('The traffic that the server received.'),
        outgoing: Traffic('The traffic that the server sent.'),
        read_at: Nullable(
          Timestamp('The time at which the traffic was last read. Null until the first time.'),
        ),
        is_stale: Type.Boolean({ description: whetherStale('the traffic') }),
      },
      { description: 'The traffic of the server by calendar month (UTC).' },
    ),
    read_at: Nullable(
      Timestamp('The time at which `cpu` and `ram` were last read. Null until the first time.'),
    ),
    is_stale: Type.Boolean({ description: whetherStale('`cpu` and `ram`') }),
    disk_read_at: Nullable(
      Timestamp(
        'The time at which `disk` was last read. Null until the first time, and if the storage pool does not report it.',
      ),
    ),
    is_disk_stale: Type.Boolean({ description: whetherStale('`disk`') }),
  },
  { title: 'Usage', description: 'The resources that a server uses now.' },
);

const specifications = {
  cpu: Type.Integer({ description: 'The number of CPU cores.', examples: [2] }),
  ram: Type.Integer({ description: 'The amount of memory, in MiB.', examples: [2048] }),
  disk: Type.Integer({ description: 'The disk size, in GiB.', examples: [20] }),
};

export type Usage = Static<typeof Usage>;

const refused = (action: string) =>
  `Whether a ${action} of the server is refused with 409 \`protected\`.`;

const protection = {
  delete: Type.Boolean({ description: refused('delete') }),
  rebuild: Type.Boolean({ description: refused('rebuild') }),
};

const warnings = (description: string) =>
  Type.Array(
    Type.String({
      description: 'A warning, as human-readable text.',
      examples: [
        'All IPv4 address pools of this location are disabled, so the server has no IPv4 address.',
      ],
    }),
    { description, examples: [[]] },
  );

export const Server = Type.Object(
  {
    id: Id('the server', 42),
    hostname: Type.String({
      description:
        'The host name of the server: the `name` that it was created with, or was given later.',
      examples: ['web-1'],
    }),
    uuid: Type.String({
      description: 'The UUID of the server. It is unique across installations, and never changes.',
      examples: ['6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10'],
    }),
    status: Status(
      'The state of the server. `creating`: it is being created or rebuilt. `started`: it is running. `stopped`: it is not ' +
        'running. `paused`: it is frozen. `deleting`: it is being deleted. `error`: it cannot be used, and `error` ' +
        'says why. While an operation is in progress, `GET /v1/servers/{id}/status` returns more.',
    ),
    node: Type.String({
      description: 'The name of the node that the server is on.',
      examples: ['node-1'],
    }),
    os: Type.String({
      description: 'The name of the operating system of the server.',
      examples: ['Debian 12'],
    }),
    specifications: Type.Object(specifications, {
      description: 'The cores, the memory and the disk of the server.',
    }),
    size: Nullable(
      Type.String({
        description:
          'The name of the size that the server was created with, or last resized to. Null if it has none, because the ' +
          'request gave `cpu`, `ram` and `disk` instead.',
        examples: ['small'],
      }),
    ),
    ip_addresses: Type.Array(ServerAddress, {
      description: 'The IP addresses of the server. The primary one is the first.',
    }),
    usage: Usage,
    created_at: Timestamp('The time at which the server was requested.'),
    project_id: Id('the project that the server belongs to', 1),
    location_id: Id('the location of the server', 1),
    os_id: Id('the operating system of the server', 1),
    size_id: Nullable(
      Type.Integer({
        description: 'The ID of the size of the server. Null if it has none.',
        examples: [1],
      }),
    ),
    group: Nullable(
      Type.String({
        description:
          'The anti-affinity group that the server was created with. Null if it is in none.',
        examples: ['database'],
      }),
    ),
    labels: Labels('The labels of the server: values by keys.'),
    notes: Type.String({
      description: 'Notes about the server, for people. They may be empty.',
      examples: ['Ask the web team before a restart.'],
    }),
    protection: Type.Object(protection, {
      description: 'The actions against which the server is protected.',
    }),
    error: Nullable(
      Type.String({
        description: 'The error of the server, as human-readable text. Null if there is none.',
        examples: ['The image could not be downloaded.'],
      }),
    ),
    initial_commands: Type.Object(
      {
        total: Type.Integer({
          minimum: 0,
          description: 'The number of commands that the server was created, or last rebuilt, with.',
          examples: [3],
        }),
        failed: Type.Integer({
          minimum: 0,
          description:
            'The number of commands that have ended with an exit status other than 0 so far. The server is usable all ' +
            'the same. `commands` of the operation that created it (`GET /v1/operations?server_id={id}&kind=create`) ' +
            'has the result of each.',
          examples: [1],
        }),
      },
      { description: 'The outcome of the `initialCommands` of the server.' },
    ),
    ssh_keys: Type.Array(Type.Object(sshKeyInShort, { description: 'An SSH key.' }), {
      description:
        'The SSH keys that the server was created, or last rebuilt, with: their names at that time. Keys that were ' +
        'added or removed in the server since are not known.',
    }),
    password_login: Type.Boolean({
      description: 'Whether the server was created, or last rebuilt, to accept passwords over SSH.',
    }),
    suspension: Nullable(
      Type.Object(
        {
          reason: Type.String({
            description: 'Why an administrator suspended the server, as human-readable text.',
            examples: ['The invoice of November is overdue.'],
          }),
          at: Timestamp('The time at which the server was suspended.'),
        },
        {
          description:
            'The suspension of the server by an administrator: it is stopped, and then can only be deleted. As long as it ' +
            'is still running, it can be stopped, too. Null unless it is suspended.',
        },
      ),
    ),
    unavailable: Nullable(
      Type.Object(
        {
          reason: Type.String({
            description: 'Why the state of the server is unknown, as human-readable text.',
            examples: ['Its node node-1 does not answer.'],
          }),
          since: Timestamp('The time since which the state has been unknown.'),
        },
        {
          description:
            'Why the current state of the server is unknown. The other fields show what was last known. Null while ' +
            'the node of the server answers.',
        },
      ),
    ),
    allowed_actions: Type.Array(
      Word([...offeredActions], {
        description: 'The name of an action.',
      }),
      {
        description: 'The actions that the server accepts in its current state.',
        examples: [['stop', 'restart', 'delete']],
      },
    ),
    warnings: Type.Optional(
      warnings(
        'Warnings about what the server does not get, such as an IPv4 address, and, with `Prefer: wait`, why its creation is ' +
          'being retried. Only present in the response to a request that creates a server, and only if there is a warning.',
      ),
    ),
  },
  { title: 'Server', description: 'A virtual server: a system container on a node of a location.' },
);
export type Server = Static<typeof Server>;

export const ServerCreated = Type.Object(
  { ...Server.properties, operation: OperationOutcome },
  {
    title: 'ServerCreated',
    description:
      'The new server, and the operation that creates it. The server is ready to use once `operation.status` is ' +
      '`succeeded`.',
  },
);
export type ServerCreated = Static<typeof ServerCreated>;

export const ServerStatusRecord = Type.Object(
  {
    status: Type.String({
      description:
        'The progress of the operation on the server, as human-readable text. If no operation is in progress: the state ' +
        'of the server, and whether its last operation or some of its initial commands failed.',
      examples: [
        'Creating the server: running command 2 of 3',
        'The server is in the error state. Its last operation (create) failed: The storage pool is full.',
      ],
    }),
    real_status: Word(['started', 'stopped', 'paused', 'error', 'not_exists', 'unavailable'], {
      description:
        'The state of the instance of the server, as its engine reports it. `not_exists`: there is no instance yet, ' +
        'or no longer. `unavailable`: the engine or the node cannot be reached. While the server is being created, its ' +
        'instance is first `not_exists`, then `stopped` until its disk is ready and it is started for the first time.',
      examples: ['started'],
    }),
    is_processing: Type.Boolean({
      description:
        'Whether an operation on the server is in progress. To wait for its end, poll this field.',
    }),
    progress: Type.Integer({
      minimum: 0,
      maximum: 100,
      description:
        'How much of the operation is done, in percent. It never decreases. If no operation is in progress: 100, or ' +
        'what the last operation had reached when it failed.',
      examples: [80],
    }),
  },
  {
    title: 'ServerStatus',
    description: 'The state of a server, and the progress of the operation on it.',
  },
);
export type ServerStatusRecord = Static<typeof ServerStatusRecord>;

// RFC 1123, section 2.1, defines labels and length, and reserves dotted decimal numbers for addresses.
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const hostName = `(?![0-9]+(?:\\.[0-9]+){3}$)${label}(?:\\.${label})*$`;
const asHostName =
  'Must be a host name: letters, digits and hyphens, in labels of 1 to 63 characters separated by dots, 253 at most, and ' +
  'not an IP address.';

// libxcrypt refuses longer passwords (crypt(3), CRYPT_MAX_PASSPHRASE_SIZE).
const maxPasswordBytes = 511;
const passwordPattern = '^[^\\p{Cc}\\p{Cs}]*$';
/** Tab, line feed and carriage return are the only control characters of a script. */
const textPattern =
  '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$';
const maxCommandBytes = 4096;

const ShellCommand = Type.String({
  pattern: textPattern.replace('^', '^(?!\\s*$)'),
  maxBytes: maxCommandBytes,
  description: 'A command that `/bin/sh -c` runs, of at most 4 KiB. It cannot be blank.',
  examples: ['apt-get update'],
});

const ArgvCommand = Type.Array(
  Type.String({
    pattern: textPattern,
    description: 'The program, or one of its arguments.',
    examples: ['/root/ready'],
  }),
  {
    minItems: 1,
    prefixItems: [{ pattern: '\\S' }],
    maxBytes: maxCommandBytes,
    description:
      'A program and its arguments, which are run without a shell, of at most 4 KiB together. The name of the program ' +
      'cannot be blank.',
    examples: [['touch', '/root/ready']],
  },
);

const Command = Type.Union([ShellCommand, ArgvCommand], {
  description: 'A command, as text for a shell or as a list of a program and its arguments.',
  explain:
    'Must be a string that is not blank, or an array of strings whose first one is not blank, of at most 4 KiB, ' +
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

const mostKeys = 20;

const Password = (description: string) =>
  Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: 128,
      maxBytes: maxPasswordBytes,
      pattern: passwordPattern,
      description,
      examples: ['correct horse battery staple'],
      explain: 'Must be 8–128 characters, at most 511 UTF-8 bytes, without control characters.',
    }),
  );

/** How root can log in, in a create and a rebuild. */
const login = {
  password: Password(
    'The password of `root`. It is required unless `password_login` is `false`; without one, `root` has no password. ' +
      'Berth stores only its hash, and only until the server is created, or for 24 hours if the creation failed.',
  ),
  ssh_keys: Type.Optional(
    Type.Array(
      Reference('ssh_key', 'An SSH key of the project. List the SSH keys with `GET /v1/ssh-keys`.'),
      {
        maxItems: mostKeys,
        description:
          `Up to ${mostKeys} SSH keys that can log in as \`root\`: the content of its \`authorized_keys\`. The server gets ` +
          'them as they are now, even if they are deleted before it is created. By default it gets none.',
        explain: `Must be an array of at most ${mostKeys} IDs or names of SSH keys.`,
      },
    ),
  ),
  password_login: Type.Optional(
    Type.Boolean({
      description:
        'Whether the SSH server accepts passwords. It can only be `false` if `ssh_keys` has at least one SSH key. The ' +
        'default is `true`.',
      explain: 'Must be true or false.',
    }),
  ),
};

/** In the schema of a body with `size`. */
const partsUnlessSize = {
  if: { properties: { size: {} }, required: ['size'] },
  else: { properties: { cpu: {}, ram: {}, disk: {} }, required: ['cpu', 'ram', 'disk'] },
};

const mostUserDataBytes = 64 * 1024;

/** In a create and a rebuild. */
const userData = {
  user_data: Type.Optional(
    Type.String({
      minLength: 1,
      maxBytes: mostUserDataBytes,
      pattern: textPattern,
      description:
        'The user data for cloud-init, of at most 64 KiB: text that begins with `#cloud-config`, `#!` or another header that ' +
        'cloud-init knows, a multi-part message with the header `MIME-Version`, or gzip of one of these as base64, of at most 1 MiB ' +
        'when unpacked. cloud-init carries it out at the first boot, before the `initialCommands`. `user_data` of the operation ' +
        'has what cloud-init says of it; errors in it do not end the creation. Berth stores it encrypted, and only until the ' +
        'server is created, or for 24 hours if the creation failed, or was cancelled and can be retried. By default there is none.',
      examples: [
        '#cloud-config\npackages:\n  - nginx\n',
        '#!/bin/sh\ntouch /root/ready\n',
        'H4sIAAAAAAAAA1NOzskvTdFNzs9Ly0znKkhMzk5MTy22UojOS8/Mq4jlAgCGOqBiIAAAAA==',
      ],
      explain:
        'Must be user data for cloud-init, of at most 64 KiB, without control characters except tabs and line breaks. Send ' +
        'longer text and other characters as gzip in base64.',
    }),
  ),
};

/** In the schema of a body with these fields. */
const passwordUnlessItIsOff = {
  if: { properties: { password_login: { const: false } }, required: ['password_login'] },
  else: { properties: { password: {} }, required: ['password'] },
};

function Amount(unit: string, description: string, example: number) {
  const explain = `Must be an integer number of ${unit}, at least 1 and within the limits of the location.`;
  return Type.Integer({ minimum: 1, maximum: maxId, description, examples: [example], explain });
}

const notes = (otherwise: string) =>
  Type.Optional(
    Notes({
      description: `Notes about the server, for people, of at most 2000 characters. ${otherwise}`,
      examples: ['Ask the web team before a restart.'],
    }),
  );

function wantedProtection(otherwise: string) {
  const explain = 'Must be true or false.';
  const field = (action: keyof typeof protection) =>
    Type.Optional(Type.Boolean({ ...protection[action], explain }));
  return Type.Optional(
    Closed(
      { delete: field('delete'), rebuild: field('rebuild') },
      {
        description:
          'The actions against which the server is protected, so that nobody carries them out by mistake. Whoever may ' +
          `carry them out can also end the protection. ${otherwise}`,
      },
    ),
  );
}

export const HostName = (more = '') =>
  Type.String({
    minLength: 1,
    maxLength: 253,
    pattern: `^${noId}${hostName}`,
    description:
      'The host name of the server (RFC 1123). It cannot be an IP address. If the project has `unique_names`, no other ' +
      `server of the project may have it. ${notAnId}${more}`,
    examples: ['web-1'],
    explain: `${asHostName} ${notAnId}`,
  });

const unlessSize = 'It is required without `size`, and cannot be combined with it.';

export const ServerCreate = Closed(
  {
    name: HostName(),
    location_id: Reference(
      'location',
      'The location in which the server runs. List the locations with `GET /v1/locations`.',
    ),
    os_id: Reference(
      'operating_system',
      'The operating system of the server. List the operating systems with `GET /v1/operating-systems`.',
    ),
    ...login,
    ...userData,
    initialCommands: Type.Array(Command, {
      maxItems: 64,
      description:
        'Up to 64 commands that are run once, as root and in order, after the installation. The list may be empty. The body ' +
        'of a request is at most 256 KiB, which bounds the commands and the user data together. ' +
        'Commands that fail do not end the creation. A command may restart the server or power it off; the server is ' +
        'then started again, and the next command is run. If the commands have not ended after two hours, the creation ' +
        'ends with a message about this, and the command that is running is not interrupted.',
      examples: [['apt-get update', ['touch', '/root/ready']]],
      explain: 'Must be an array of at most 64 commands. It may be empty.',
    }),
    size: Type.Optional(
      Reference(
        'size',
        'The size of the server, in place of `cpu`, `ram` and `disk`. It is required if the project has `sizes_only`. List ' +
          'the sizes with `GET /v1/sizes`.',
      ),
    ),
    cpu: Type.Optional(
      Amount(
        'cores',
        `The number of CPU cores, within the \`limits\` of the location. ${unlessSize}`,
        2,
      ),
    ),
    ram: Type.Optional(
      Amount(
        'MiB',
        'The amount of memory, in MiB, within the `limits` of the location and the `minimum` of the operating system. ' +
          unlessSize,
        2048,
      ),
    ),
    disk: Type.Optional(
      Amount(
        'GiB',
        'The disk size, in GiB, within the `limits` of the location and the `minimum` of the operating system. ' +
          unlessSize,
        20,
      ),
    ),
    group: Type.Optional(
      Group(
        'The anti-affinity group of the server. Servers of the same group and project are placed on different nodes ' +
          'where possible. By default the server is in no group.',
      ),
    ),
    labels: NewLabels,
    notes: notes('By default they are empty.'),
    protection: wantedProtection('By default the server is protected against neither.'),
  },
  {
    title: 'ServerCreate',
    description:
      'The server to create. `name`, `location_id`, `os_id` and `initialCommands` are required, `password` unless ' +
      '`password_login` is `false`, and either `size`, or `cpu`, `ram` and `disk`.',
    allOf: [passwordUnlessItIsOff, partsUnlessSize],
  },
);
export type ServerCreate = Static<typeof ServerCreate>;

export const ServerUpdate = Closed(
  {
    name: Type.Optional(
      HostName(
        ' An operation also sets it inside the server: at once if it is running, and otherwise for its next start.',
      ),
    ),
    labels: LabelsPatch,
    notes: notes('They replace those that the server has.'),
    protection: wantedProtection('Fields that are omitted are not changed.'),
  },
  {
    title: 'ServerUpdate',
    description: 'The fields to change. Fields that are omitted are not changed.',
  },
);
export type ServerUpdate = Static<typeof ServerUpdate>;

export const ServerUpdated = Type.Object(
  { ...Server.properties, operation: Type.Optional(OperationOutcome) },
  {
    title: 'ServerUpdated',
    description:
      'The server after the update. If its name has changed, `operation` sets the name inside the server. It is absent if ' +
      'there is nothing to do there.',
  },
);
export type ServerUpdated = Static<typeof ServerUpdated>;

export const ServerCreateQuery = Closed({
  // Dry runs have a separate path now, because their response differs from that of a create.
  dry_run: Type.Optional(Type.Boolean({ explain: 'Must be true or false.', undocumented: true })),
});

export const ServerDryRun = Type.Object(
  {
    node: Type.String({
      description: 'The name of the node that the server would run on.',
      examples: ['node-1'],
    }),
    ip_addresses: Type.Array(ServerAddress, {
      description:
        'The IP addresses that the server would get, unless another server takes them first.',
    }),
    quota: Type.Object(
      {
        servers: Type.Integer({ description: 'The number of servers: 1.', examples: [1] }),
        ...specifications,
        addresses: Type.Integer({ description: 'The number of IP addresses.', examples: [2] }),
      },
      { description: 'What the server would add to the usage of the quota of the project.' },
    ),
    warnings: warnings(
      'Warnings about what the server would not get, such as an IPv4 address, and about a location that cannot be reached ' +
        'at the moment, for which the creation would wait.',
    ),
  },
  { title: 'ServerDryRun', description: 'The result that creating the server would have.' },
);
export type ServerDryRun = Static<typeof ServerDryRun>;

const Force = (description: string) =>
  Type.Optional(
    Type.Boolean({
      description: `${description} The default is \`false\`.`,
      explain: 'Must be true or false.',
    }),
  );

export const ServerStop = Closed(
  {
    force: Force(
      'Whether to cut the power of the server instead of shutting down its guest. The query parameter `force` does the ' +
        'same.',
    ),
  },
  {
    title: 'ServerStop',
    description: 'How to stop the server. The body may be omitted.',
    optionalBody: true,
  },
);

export const ServerStopQuery = Closed({
  force: Force(
    'Whether to cut the power of the server instead of shutting down its guest. The field `force` of the body does ' +
      'the same. One of them is enough; if both are sent, they must be equal.',
  ),
});
export type ServerStop = Static<typeof ServerStop>;

export const ServerPassword = Closed(
  {
    password: Password(
      'The password of `root`. By default one is generated. Berth stores only its hash, and only until it is set.',
    ),
  },
  {
    title: 'ServerPassword',
    description: 'The password to set. The body may be omitted.',
    optionalBody: true,
  },
);

export const PasswordAccepted = Type.Object(
  {
    ...Accepted.properties,
    password: Type.Optional(
      Type.String({
        description:
          'The password that was generated. This response is the only one that contains it, and is repeated only for the ' +
          'same `Idempotency-Key`: for 24 hours, or until it turns out that the password was not set, another one is ' +
          'requested, or the server is deleted. Only present if the request had no `password`.',
        examples: ['k3mwh8vx2qdc7tnreu5jb9fa'],
      }),
    ),
  },
  {
    title: 'PasswordAccepted',
    description:
      'The request was accepted, and an operation sets the password. It is set once `operation.status` is `succeeded`.',
  },
);
export type PasswordAccepted = Static<typeof PasswordAccepted>;

export const ServerSuspend = Closed(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]*$',
      description:
        'Why the server is suspended, in a sentence for its owner. Every member of its project can read it.',
      examples: ['The invoice of November is overdue.'],
      explain: 'Must be 1–500 characters that are not all blank, without control characters.',
    }),
  },
  { title: 'ServerSuspend', description: 'Why to suspend the server.' },
);

export const ServerRebuild = Closed(
  {
    erase: Type.Optional(
      Type.Boolean({
        description:
          'Must be `true`: everything on the disk of the server is lost. It can only be omitted if the node of the server was ' +
          'declared lost, and its disk with it.',
        explain: 'Must be true.',
      }),
    ),
    os_id: Type.Optional(
      Reference(
        'operating_system',
        'The operating system of the rebuilt server. By default it stays the same. List the operating systems with ' +
          '`GET /v1/operating-systems`.',
      ),
    ),
    ...login,
    ...userData,
    initialCommands: ServerCreate.properties.initialCommands,
  },
  {
    title: 'ServerRebuild',
    description:
      'The operating system of the rebuilt server, how `root` logs in to it, its user data and its initial commands. ' +
      '`erase` and `initialCommands` are required, and `password` unless `password_login` is `false`.',
    ...passwordUnlessItIsOff,
  },
);
export type ServerRebuild = Static<typeof ServerRebuild>;

export const ServerResize = Closed(
  {
    size: Type.Optional(
      Reference(
        'size',
        'The size that the server gets, in place of `cpu`, `ram` and `disk`. It is required if the project has ' +
          '`sizes_only`. Without it, the server no longer has a size of `GET /v1/sizes`. List the sizes with `GET /v1/sizes`.',
      ),
    ),
    keep_disk: Type.Optional(
      Type.Boolean({
        description:
          'Whether the disk stays as it is, although that of `size` is larger. The server can then get a smaller size again. ' +
          'It requires `size`. The default is `false`.',
        explain: 'Must be true or false.',
      }),
    ),
    cpu: Type.Optional(
      Amount('cores', 'The number of CPU cores, within the `limits` of the location.', 4),
    ),
    ram: Type.Optional(
      Amount(
        'MiB',
        'The amount of memory, in MiB, within the `limits` of the location and the `minimum` of the operating system, and ' +
          'more than the server has in use.',
        4096,
      ),
    ),
    disk: Type.Optional(
      Amount(
        'GiB',
        'The disk size, in GiB, within the `limits` of the location. A disk can grow, and cannot shrink.',
        40,
      ),
    ),
    allow_move: Type.Optional(
      Type.Boolean({
        description:
          'Whether the server may move to another node of its location if its node has no room for the new size. A running ' +
          'server is shut down for that, and started again. The default is `false`.',
        explain: 'Must be true or false.',
      }),
    ),
  },
  {
    title: 'ServerResize',
    description:
      'The new size of the server: `size`, or at least one of `cpu`, `ram` and `disk`. Of these, what is omitted stays as it ' +
      'is.',
    anyOf: [
      { required: ['size'] },
      { required: ['cpu'] },
      { required: ['ram'] },
      { required: ['disk'] },
    ],
    explain: 'Must have `size`, or at least one of `cpu`, `ram` and `disk`.',
  },
);
export type ServerResize = Static<typeof ServerResize>;

export const ServerMove = Closed(
  {
    node: Type.Optional(
      Type.String({
        pattern: '^[^\\p{Cc}\\p{Cs}]{1,253}$',
        description:
          'The name of the node to move the server to, at the same location. By default Berth chooses one.',
        examples: ['node-2'],
        explain: 'Must be the name of a node.',
      }),
    ),
  },
  {
    title: 'ServerMove',
    description: 'Where to move the server. The body may be omitted.',
    optionalBody: true,
  },
);
export type ServerMove = Static<typeof ServerMove>;

export const ServerQuery = Closed({
  ...pageParameters,
  sort: sortParameter(['id', 'hostname', 'created_at']),
  all_projects: Type.Optional(
    Type.Boolean({
      description:
        'Whether to return the servers of all projects. Only administrators can set this. The default is `false`.',
      explain: 'Must be true or false.',
    }),
  ),
  project_id: AnyOf(
    Reference(
      'project',
      'Return only servers of this project. Only administrators can name a project other than their own.',
    ),
  ),
  q: NamePrefix('servers', 'host name'),
  status: AnyOf(Status('Return only servers in this state.')),
  location_id: AnyOf(Reference('location', 'Return only servers at this location.')),
  os_id: AnyOf(Reference('operating_system', 'Return only servers with this operating system.')),
  size: AnyOf(Reference('size', 'Return only servers of this size.')),
  group: AnyOf(Group('Return only servers of this anti-affinity group.')),
  label_selector: LabelSelector(
    'Return only servers whose labels satisfy this selector',
    'An empty selector selects all servers.',
  ),
  node: AnyOf(Reference('node', 'Return only servers on this node.')),
  hostname: AnyOf(
    Type.String({
      maxLength: 253,
      // Servers that were created before names had to differ from IDs keep theirs.
      pattern: `^${hostName}`,
      description: 'Return only servers with this host name. The comparison ignores case.',
      examples: ['web-1'],
      explain: asHostName,
    }),
  ),
  ip: AnyOf(
    Type.String({
      anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }],
      description: 'Return only the server that has this IP address.',
      examples: ['10.84.1.17'],
      explain: 'Must be an IPv4 or IPv6 address.',
    }),
  ),
  ...period('servers', 'requested'),
});
export type ServerQuery = Static<typeof ServerQuery>;
