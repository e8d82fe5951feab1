import { type Static, Type } from 'typebox';
import { AnyOf, period } from './filters.ts';
import { LabelSelector } from './labels.ts';
import { pageParameters, sortParameter } from './pagination.ts';
import { PathParams, Reference } from './references.ts';
import { operationKinds } from './server-actions.ts';
import { Closed, Id, Nullable, Timestamp, Word } from './values.ts';

const Kind = (description: string) =>
  Word([...operationKinds], { description, examples: ['create'] });

const statusWords =
  'The state of the operation. `pending`: it waits to be run. `running`: it is being run. `succeeded`: it is done. ' +
  '`failed`: it ended with an error. `superseded`: another operation, such as a delete, took its place before it ended. ' +
  '`cancelled`: a request ended it before it had an effect. The last four are final.';

const errorWords = {
  code: 'The code of the error, for programs. `/docs/errors` explains each code.',
  detail: 'What failed and what to do about it, as human-readable text.',
} as const;

const Status = (description: string) =>
  Word(['pending', 'running', 'succeeded', 'failed', 'superseded', 'cancelled'], {
    description,
    examples: ['running'],
  });

export const OperationOutcome = Type.Object(
  {
    id: Type.Integer({
      description: 'The ID of the operation. `GET /v1/operations/{id}` returns all of its fields.',
      examples: [7],
    }),
    status: Status(statusWords),
    error: Nullable(
      Type.Object(
        {
          code: Type.String({
            description: errorWords.code,
            examples: ['guest_ignored_shutdown'],
          }),
          detail: Type.String({
            description: errorWords.detail,
            examples: ['The guest did not shut down within 60 seconds.'],
          }),
        },
        { description: 'Why the operation failed. Null unless it failed.' },
      ),
    ),
  },
  {
    title: 'OperationOutcome',
    description: 'The operation that carries out a request, and its outcome so far.',
  },
);
export type OperationOutcome = Static<typeof OperationOutcome>;

export const CommandResult = Type.Object(
  {
    index: Type.Integer({
      minimum: 0,
      description: 'The position of the command in `initialCommands`, counted from 0.',
      examples: [0],
    }),
    exit_status: Type.Integer({
      description: 'The exit status of the command. 0 means success.',
      examples: [0],
    }),
    duration_ms: Nullable(
      Type.Integer({
        minimum: 0,
        description:
          'How long the command ran, in milliseconds, rounded to ten. Null if a restart of the server interrupted ' +
          'it, or if it was run by a release of Berth that did not measure this.',
        examples: [1340],
      }),
    ),
    output: Nullable(
      Type.String({
        description:
          'The last 4 KiB of what the command wrote to standard output and standard error. Null in lists; ' +
          '`GET /v1/operations/{id}` returns it. Also null once it was removed: `outputs_days` of the settings after the ' +
          'end of the operation, or earlier, the oldest first, if the outputs of the project exceed its quota `outputs`.',
        examples: ['Setting up nginx ...\n'],
      }),
    ),
    output_expired: Type.Boolean({
      description: 'Whether the output was removed. `output_note` says why.',
      examples: [false],
    }),
    output_note: Nullable(
      Type.String({
        description:
          'Why the output was removed, as human-readable text. Null unless it was removed.',
        examples: ['The output was removed at the end of its retention period.'],
      }),
    ),
  },
  { title: 'CommandResult', description: 'The result of an initial command.' },
);

const UserDataReport = Type.Object(
  {
    status: Word(['done', 'degraded', 'error', 'running', 'unknown'], {
      description:
        'How cloud-init ended. `done`: it reports no errors. `degraded`: it reports warnings, such as about what is invalid ' +
        'and was left out. `error`: a part failed, such as a script or a package. `running`: it has not ended within two ' +
        'hours, or has held up the boot until the operation failed, and continues. `unknown`: it did not run, or did not ' +
        'say how it ended.',
      examples: ['error'],
    }),
    errors: Type.Array(
      Type.String({
        description: 'An error, as human-readable text.',
        examples: ["runcmd: '…' is not of type 'array'"],
      }),
      {
        description:
          'Up to 20 errors and warnings that cloud-init reports, such as those of its schema. Words that are neither its own ' +
          'nor names of fields are replaced by `…`, because they may be secret. `/var/log/cloud-init.log` of the server has ' +
          'all words, and `/var/log/cloud-init-output.log` the output of scripts.',
      },
    ),
  },
  {
    description:
      'What cloud-init says of the `user_data` of a create or a rebuild. Null without user data, before the ' +
      'guest is started, and until cloud-init has ended or the operation has failed.',
  },
);

const exclusionWords = {
  current: 'The number of nodes excluded because the server is on them already.',
  offline: 'The number of nodes excluded because they did not answer.',
  evacuated: 'The number of nodes excluded because they were evacuated.',
  cordoned: 'The number of nodes excluded because they were cordoned.',
  ram: 'The number of nodes excluded because they did not have enough free memory.',
  disk: 'The number of nodes excluded because they did not have enough free disk space.',
  cpu: 'The number of nodes excluded because they did not have enough free CPU cores.',
} as const;

export const Exclusions = Type.Object(
  Object.fromEntries(
    Object.entries(exclusionWords).map(([reason, description]) => [
      reason,
      Type.Optional(Type.Integer({ description, examples: [1] })),
    ]),
  ),
  {
    description:
      'How many nodes could not be chosen, by the reason. A node counts for the first reason that applies to it; ' +
      'reasons that apply to no node are omitted.',
    examples: [{ offline: 1, ram: 1 }],
  },
);

const Placement = Type.Object(
  {
    node: Type.String({ description: 'The node that was chosen.', examples: ['node-1'] }),
    reason: Type.String({
      description: 'Why this node was chosen, as human-readable text.',
      examples: [
        'The best of 3 nodes with room: 12288 MiB of memory, 300 GiB of disk and 60 cores free.',
      ],
    }),
    nodes: Type.Integer({
      description: 'The number of nodes that the location had.',
      examples: [5],
    }),
    excluded: Exclusions,
    others: Nullable(
      Type.Array(
        Type.Object(
          {
            node: Type.String({ description: 'The name of the node.', examples: ['node-2'] }),
            reason: Type.String({
              description: 'Why this node was not chosen, as human-readable text.',
              examples: ['less memory free: 8192 MiB'],
            }),
          },
          { description: 'A node that was not chosen.' },
        ),
        {
          description:
            'The three next best nodes that could have been chosen, and why they were not. Null unless an ' +
            'administrator asks.',
        },
      ),
    ),
  },
  {
    description: 'How the node of the server was chosen. Null if the operation did not choose one.',
  },
);

const moveStatuses = ['waiting', 'moving', 'moved', 'failed', 'deleted'] as const;

const MovedServer = Type.Object(
  {
    id: Id('the server', 42),
    hostname: Type.String({ description: 'The host name of the server.', examples: ['web-1'] }),
    status: Word([...moveStatuses], {
      description:
        'The status of the move. `waiting`: it has not begun. `moving`: it is in progress. `moved`: the server is on ' +
        'another node. `failed`: the server stays where it is; `reason` says why. `deleted`: the server was deleted ' +
        'meanwhile.',
      examples: ['moved'],
    }),
    state: Word([...moveStatuses], {
      deprecated: true,
      description: 'Deprecated since 1.0.0-rc.1: use `status`, which has the same value.',
      examples: ['moved'],
    }),
    node: Type.String({
      description: 'The name of the node that the server is on, or is being moved to.',
      examples: ['node-2'],
    }),
    reason: Nullable(
      Type.String({
        description: 'Why the server could not be moved. Null unless `status` is `failed`.',
        examples: ['No other node has enough free memory.'],
      }),
    ),
    operation_id: Nullable(
      Type.Integer({
        description: 'The ID of the operation that moves the server. Null until the move begins.',
        examples: [8],
      }),
    ),
  },
  { description: 'A server that the operation moves.' },
);

export const Operation = Type.Object(
  {
    id: Id('the operation', 7),
    kind: Kind(
      'What the operation does to the server, or to the node. A retry and a rebuild are operations of the kind `create`.',
    ),
    server_id: Nullable(
      Type.Integer({
        description:
          'The ID of the server, even if it no longer exists. Null for an operation on a node.',
        examples: [42],
      }),
    ),
    status: Status(statusWords),
    cancellable: Type.Boolean({
      description:
        'Whether the operation could be cancelled now with `POST /v1/operations/{id}/cancel`. It may take effect before such ' +
        'a request arrives, which is then refused. While it waits for a node that does not answer, this can be `false` for ' +
        'moments. It is `false` for a creation whose server is protected against its deletion: such a request is refused ' +
        'with `protected`.',
      examples: [false],
    }),
    step: Type.String({
      description:
        'The name of the current step, or of the last one. The names may change between releases.',
      examples: ['initialise'],
    }),
    progress: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'How much of the work is done, in percent. It never decreases.',
      examples: [80],
    }),
    message: Type.String({
      description: 'What the operation is doing, or how it ended, as human-readable text.',
      examples: ['Creating the server: running command 2 of 3'],
    }),
    error: Nullable(
      Type.Object(
        {
          code: Type.String({
            description: errorWords.code,
            examples: ['guest_ignored_shutdown'],
          }),
          detail: Type.String({
            description: errorWords.detail,
            examples: ['The guest did not shut down within 60 seconds.'],
          }),
          message: Type.String({
            deprecated: true,
            description: 'Deprecated since 1.0.0-rc.1: use `detail`, which is the same text.',
            examples: ['The guest did not shut down within 60 seconds.'],
          }),
        },
        { description: 'Why the operation failed. Null unless it failed.' },
      ),
    ),
    commands: Nullable(
      Type.Array(CommandResult, {
        description:
          'The results of the initial commands that have ended, in order. Null unless `kind` is `create`.',
      }),
    ),
    user_data: Nullable(UserDataReport),
    placement: Nullable(Placement),
    node: Nullable(
      Type.String({
        description: 'The name of the node. Null for an operation on a server.',
        examples: ['node-1'],
      }),
    ),
    servers: Nullable(
      Type.Array(MovedServer, {
        description:
          'The servers that the operation moves, and the state of each move. Null for an operation on a server.',
      }),
    ),
    created_at: Timestamp('The time at which the operation was requested.'),
    started_at: Nullable(
      Timestamp('The time at which work on the operation began. Null until then.'),
    ),
    finished_at: Nullable(Timestamp('The time at which the operation ended. Null until then.')),
  },
  {
    title: 'Operation',
    description:
      'A change to a server or a node that takes time: what was requested, its progress and its outcome.',
  },
);
export type Operation = Static<typeof Operation>;

export const OperationQuery = Closed({
  ...pageParameters,
  sort: sortParameter(['id', 'created_at']),
  all_projects: Type.Optional(
    Type.Boolean({
      description:
        'Whether to return the operations of all projects. Only administrators can set this. The default is `false`.',
      explain: 'Must be true or false.',
    }),
  ),
  project_id: AnyOf(
    Reference(
      'project',
      'Return only operations of this project. Only administrators can name a project other than their own.',
    ),
  ),
  server_id: AnyOf(
    Reference(
      'server',
      'Return only operations on this server. A server that no longer exists is found only by its ID or UUID.',
    ),
  ),
  status: AnyOf(Status('Return only operations in this state.')),
  kind: AnyOf(Kind('Return only operations of this kind.')),
  label_selector: LabelSelector(
    'Return only operations on existing servers whose present labels satisfy this selector',
    'An empty selector selects all operations.',
  ),
  ...period('operations', 'requested'),
});
export type OperationQuery = Static<typeof OperationQuery>;

export const CommandOutputParams = PathParams(
  { id: 'operation' },
  {
    index: Type.String({
      description: 'The position of the command in `commands` of the operation, counted from 0.',
      examples: ['0'],
    }),
  },
);

export const Accepted = Type.Object(
  {
    message: Type.String({
      description:
        'What was accepted, as human-readable text. With `Prefer: wait`: the message of the operation, which says what it is ' +
        'doing, why it is being retried, or how it ended.',
      examples: ['The server is being started.'],
    }),
    operation_id: Type.Integer({
      deprecated: true,
      description: 'Deprecated since 1.0.0-rc.1: use `operation.id`, which is the same ID.',
      examples: [7],
    }),
    operation: OperationOutcome,
  },
  {
    title: 'Accepted',
    description:
      'The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. ' +
      'Unless the response already says so, poll `GET /v1/operations/{id}`.',
  },
);
export type Accepted = Static<typeof Accepted>;
