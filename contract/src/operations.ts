import { type Static, Type } from 'typebox';
import { AnyOf, period } from './filters.ts';
import { pageParameters, sortParameter } from './pagination.ts';
import { PathParams, Reference } from './references.ts';
import { Closed, Nullable, Timestamp, Word } from './values.ts';

const Kind = (description: string) =>
  Word(
    ['create', 'start', 'stop', 'restart', 'delete', 'move', 'evacuate', 'restore', 'declare_lost'],
    {
      description,
      examples: ['create'],
    },
  );

const Status = (description: string) =>
  Word(['pending', 'running', 'succeeded', 'failed', 'superseded'], {
    description,
    examples: ['running'],
  });

export const OperationOutcome = Type.Object(
  {
    id: Type.Integer({ description: '`GET /v1/operations/{id}` shows it whole.', examples: [7] }),
    status: Status(
      '`pending` and `running`: it has not ended yet. `succeeded`, `failed` and `superseded` are final.',
    ),
    error: Nullable(
      Type.Object(
        {
          code: Type.String({
            description: 'Why it failed, for a program to read: `/docs/errors` explains each code.',
            examples: ['guest_ignored_shutdown'],
          }),
          detail: Type.String({
            description: 'Why it failed and what to do, for a person to read.',
            examples: ['The guest did not shut down within 60 seconds.'],
          }),
        },
        { description: 'Null unless the operation failed.' },
      ),
    ),
  },
  {
    title: 'OperationOutcome',
    description: 'The operation that a request began, and what came of it so far.',
  },
);
export type OperationOutcome = Static<typeof OperationOutcome>;

export const CommandResult = Type.Object(
  {
    index: Type.Integer({
      minimum: 0,
      description: 'The position of the command in `initialCommands`, from 0.',
      examples: [0],
    }),
    exit_status: Type.Integer({ description: 'Zero is success.', examples: [0] }),
    duration_ms: Nullable(
      Type.Integer({
        minimum: 0,
        description:
          'How long it ran, in milliseconds, to the nearest ten. Null if it was interrupted by a restart ' +
          'of the server, or ran before Berth measured it.',
        examples: [1340],
      }),
    ),
    output: Nullable(
      Type.String({
        description:
          'The end of what it printed, on both streams, up to 4 KiB. Null in lists: `GET /v1/operations/{id}` shows it. ' +
          'It is removed once it has been kept for as long as `outputs_days` of the settings says after the operation ' +
          'has ended, or earlier, the oldest first, where the outputs of its project exceed the quota `outputs`; it is ' +
          'null from then on.',
        examples: ['Setting up nginx ...\n'],
      }),
    ),
    output_expired: Type.Boolean({
      description: 'Whether the output was removed; `output_note` says why.',
      examples: [false],
    }),
    output_note: Nullable(
      Type.String({
        description: 'Why the output was removed, for a person to read. Null unless it was.',
        examples: ['The output was removed: it had been kept for as long as the settings say.'],
      }),
    ),
  },
  { title: 'CommandResult' },
);

const exclusions = ['current', 'offline', 'evacuated', 'cordoned', 'ram', 'disk', 'cpu'] as const;

const Placement = Type.Object(
  {
    node: Type.String({ description: 'The node that was chosen.', examples: ['node-1'] }),
    reason: Type.String({
      description: 'Why, for a person to read.',
      examples: [
        'The best of 3 nodes with room: 12288 MiB of memory, 300 GiB of disk and 60 cores free.',
      ],
    }),
    nodes: Type.Integer({ description: 'How many nodes its location had.', examples: [5] }),
    excluded: Type.Object(
      Object.fromEntries(exclusions.map((reason) => [reason, Type.Optional(Type.Integer())])),
      {
        description:
          'How many of them could not be taken, each for the first reason: how it was, or what it had ' +
          'not enough of.',
        examples: [{ offline: 1, ram: 1 }],
      },
    ),
    others: Nullable(
      Type.Array(
        Type.Object({
          node: Type.String({ examples: ['node-2'] }),
          reason: Type.String({ examples: ['less memory free: 8192 MiB'] }),
        }),
        {
          description:
            'The best three of those that could have been taken as well, and why they were not. For ' +
            'administrators; null to others.',
        },
      ),
    ),
  },
  {
    description:
      'Of a create, or a move: why its node, and why not the others; null of anything else.',
  },
);

const MovedServer = Type.Object({
  id: Type.Integer({ examples: [42] }),
  hostname: Type.String({ examples: ['web-1'] }),
  state: Word(['waiting', 'moving', 'moved', 'failed', 'deleted'], {
    description:
      'Where it is at. `failed`: it stays where it is, for the `reason`. `deleted`: meanwhile, so that ' +
      'nothing is left to move.',
    examples: ['moved'],
  }),
  node: Type.String({ description: 'Where it is, or is being moved to.', examples: ['node-2'] }),
  reason: Nullable(Type.String({ description: 'Why it failed; null unless it did.' })),
  operation_id: Nullable(
    Type.Integer({ description: 'The operation that moves it; null before.', examples: [8] }),
  ),
});

export const Operation = Type.Object(
  {
    id: Type.Integer({ examples: [7] }),
    kind: Kind('What is done to the server, or to the node.'),
    server_id: Nullable(
      Type.Integer({
        description: 'The server, also when it is gone; null of an operation on a node.',
        examples: [42],
      }),
    ),
    status: Status('`superseded`: another operation took its place before it ended.'),
    step: Type.String({ description: 'The step that it is at.', examples: ['initialise'] }),
    progress: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Percent of the work. It never falls.',
      examples: [80],
    }),
    message: Type.String({
      description: 'What happens, for a person to read.',
      examples: ['Creating the server: running command 2 of 3'],
    }),
    error: Nullable(
      Type.Object(
        {
          code: Type.String({ examples: ['guest_ignored_shutdown'] }),
          detail: Type.String({
            description: 'What failed and what to do, for a person to read.',
            examples: ['The guest did not shut down within 60 seconds.'],
          }),
          message: Type.String({
            description: 'The same as `detail`.',
            examples: ['The guest did not shut down within 60 seconds.'],
          }),
        },
        { description: 'Why it failed; null unless it did.' },
      ),
    ),
    commands: Nullable(
      Type.Array(CommandResult, {
        description: 'What the initial commands came to so far, in order; null but for a create.',
      }),
    ),
    placement: Nullable(Placement),
    node: Nullable(
      Type.String({
        description: 'The node that it is about; null of an operation on a server.',
        examples: ['node-1'],
      }),
    ),
    servers: Nullable(
      Type.Array(MovedServer, {
        description: 'Of an operation on a node: the servers that it moves, and how far each is.',
      }),
    ),
    created_at: Timestamp('When it was asked for.'),
    started_at: Nullable(Timestamp('When work on it began; null before.')),
    finished_at: Nullable(Timestamp('When it ended; null before.')),
  },
  {
    title: 'Operation',
    description: 'Work on a server, or on a node: what was asked for and what came of it.',
  },
);
export type Operation = Static<typeof Operation>;

export const OperationQuery = Closed({
  ...pageParameters,
  sort: sortParameter(['id', 'created_at']),
  all_projects: Type.Optional(
    Type.Boolean({
      description: 'Those of every project, for administrators.',
      explain: 'Must be true or false.',
    }),
  ),
  project_id: AnyOf(
    Reference('project', 'Only those of this project: for administrators, of any project.'),
  ),
  server_id: AnyOf(Reference('server', 'Only those of this server. One that is gone has no name.')),
  status: AnyOf(Status('Only those in this state.')),
  kind: AnyOf(Kind('Only those of this kind.')),
  ...period('operations', 'requested'),
});
export type OperationQuery = Static<typeof OperationQuery>;

export const CommandOutputParams = PathParams(
  { id: 'operation' },
  { index: Type.String({ description: 'Which of `commands`, counted from 0.', examples: ['0'] }) },
);

export const Accepted = Type.Object(
  {
    message: Type.String({
      description:
        'What was accepted, for a person to read; with `Prefer: wait`, the closing words of the ' +
        'operation once it has succeeded.',
      examples: ['The server is being started.'],
    }),
    operation_id: Type.Integer({ description: 'The same as `operation.id`.', examples: [7] }),
    operation: OperationOutcome,
  },
  {
    title: 'Accepted',
    description:
      'The request was accepted. It is done once `operation.status` is `succeeded`: without ' +
      '`Prefer: wait`, or when the wait is over before the end, ask for the operation until it is.',
  },
);
export type Accepted = Static<typeof Accepted>;
