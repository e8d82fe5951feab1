import { type Static, type TObject, Type } from 'typebox';
import { AnyOf } from './filters.ts';
import { LabelSelector } from './labels.ts';
import { pageParameters } from './pagination.ts';
import { Reference } from './references.ts';
import { operationKinds } from './server-actions.ts';
import { Closed, Id, maxId, Nullable, Timestamp, Word } from './values.ts';

/** For how long events are kept. */
export const eventDays = 30;

const labels = { env: 'prod' };

const serverExample = {
  id: 42,
  uuid: '6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10',
  hostname: 'web-1',
  status: 'started',
  error: null,
  location_id: 1,
  is_suspended: false,
  specifications: { cpu: 2, ram: 2048, disk: 20 },
  labels,
};

const serverStatuses = ['creating', 'started', 'stopped', 'paused', 'deleting', 'error'] as const;

const ServerThen = Type.Object(
  {
    id: Id('the server', 42),
    uuid: Type.String({
      description: 'The UUID of the server.',
      examples: [serverExample.uuid],
    }),
    hostname: Type.String({ description: 'The host name of the server.', examples: ['web-1'] }),
    status: Word([...serverStatuses], {
      description: 'The state of the server, as `status` of `GET /v1/servers/{id}`.',
      examples: ['started'],
    }),
    error: Nullable(
      Type.String({
        description: 'The error of the server, as human-readable text. Null if there is none.',
        examples: ['The image could not be downloaded.'],
      }),
    ),
    location_id: Id('the location of the server', 1),
    is_suspended: Type.Boolean({ description: 'Whether the server is suspended.' }),
    specifications: Type.Object(
      {
        cpu: Type.Integer({ description: 'The number of CPU cores.', examples: [2] }),
        ram: Type.Integer({ description: 'The amount of memory, in MiB.', examples: [2048] }),
        disk: Type.Integer({ description: 'The disk size, in GiB.', examples: [20] }),
      },
      { description: 'The cores, the memory and the disk of the server.' },
    ),
    labels: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string', description: 'The value of the label.' },
      description: 'The labels of the server: values by keys.',
      examples: [labels],
    }),
  },
  { description: 'The server as it was after the change.' },
);

const operationExample = {
  id: 7,
  kind: 'create',
  server_id: 42,
  node_id: null,
  status: 'running',
  progress: 80,
  message: 'Creating the server: running command 2 of 3',
  error: null,
};

const OperationThen = Type.Object(
  {
    id: Id('the operation', 7),
    kind: Word([...operationKinds], {
      description: 'What the operation does to the server, or to the node.',
      examples: ['create'],
    }),
    server_id: Nullable(
      Type.Integer({
        description: 'The ID of the server. Null for an operation on a node.',
        examples: [42],
      }),
    ),
    node_id: Nullable(
      Type.Integer({
        description: 'The ID of the node. Null for an operation on a server.',
        examples: [1],
      }),
    ),
    status: Word(['pending', 'running', 'succeeded', 'failed', 'superseded', 'cancelled'], {
      description: 'The state of the operation, as `status` of `GET /v1/operations/{id}`.',
      examples: ['running'],
    }),
    progress: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'How much of the work is done, in percent.',
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
            description: 'The code of the error, for programs. `/docs/errors` explains each code.',
            examples: ['guest_ignored_shutdown'],
          }),
          detail: Type.String({
            description: 'What failed and what to do about it, as human-readable text.',
            examples: ['The guest did not shut down within 60 seconds.'],
          }),
        },
        { description: 'Why the operation failed. Null unless it failed.' },
      ),
    ),
  },
  { description: 'The operation as it was after the change.' },
);

const nodeStates = ['online', 'offline', 'evacuated', 'cordoned', 'gone', 'lost'] as const;

const NodeThen = Type.Object(
  {
    id: Id('the node', 1),
    name: Type.String({ description: 'The name of the node.', examples: ['node-1'] }),
    location_id: Id('the location of the node', 1),
    status: Word([...nodeStates], {
      description: 'The state of the node, as `status` of `GET /v1/nodes/{name}`.',
      examples: ['offline'],
    }),
  },
  { description: 'The node as it was after the change.' },
);

const nodeExample = { id: 1, name: 'node-1', location_id: 1 };

const WebhookThen = Type.Object(
  {
    id: Id('the webhook', 4),
    name: Type.String({ description: 'The name of the webhook.', examples: ['deploy-bot'] }),
    paused_because: Word(['failing', 'gone'], {
      description: 'Why it was paused, as `paused_because` of `GET /v1/webhooks/{id}`.',
      examples: ['failing'],
    }),
  },
  { description: 'The webhook as it was after the change.' },
);

interface Kind {
  /** When such an event is written: a sentence. */
  when: string;
  /** The fields of its `data`. */
  data: TObject['properties'];
  /** An example of its `data`. */
  example: object;
}

const ofServer = (when: string, changed: Partial<typeof serverExample> | object = {}): Kind => ({
  when,
  data: { server: ServerThen },
  example: { server: { ...serverExample, ...changed } },
});

const ofOperation = (when: string, changed: object = {}): Kind => ({
  when,
  data: { operation: OperationThen },
  example: { operation: { ...operationExample, ...changed } },
});

const ofNode = (when: string, status: (typeof nodeStates)[number]): Kind => ({
  when: `${when} Only administrators get it.`,
  data: { node: NodeThen },
  example: { node: { ...nodeExample, status } },
});

/** Whose value is shown by the field of the server with the same name. */
export const serverChanges = [
  'hostname',
  'labels',
  'notes',
  'specifications',
  'size',
  'node',
  'os',
  'group',
  'protection',
  'suspension',
  'traffic_allowance',
  'initial_commands',
  'ssh_keys',
  'password_login',
  'error',
] as const;

/** All types of events. The triggers of the migrations write them. */
const kinds = {
  'server.created': ofServer('A server was requested, and is being created.', {
    status: 'creating',
  }),
  'server.creating': ofServer('A retry or a rebuild creates the server anew.', {
    status: 'creating',
  }),
  'server.started': ofServer('The server runs.'),
  'server.stopped': ofServer(
    'The server no longer runs, or was created and has not been started.',
    {
      status: 'stopped',
    },
  ),
  'server.paused': ofServer('The server was frozen.', { status: 'paused' }),
  'server.failed': ofServer('The server cannot be used, and `error` says why.', {
    status: 'error',
    error: 'The image could not be downloaded.',
  }),
  'server.deleting': ofServer('The server is being deleted.', { status: 'deleting' }),
  'server.deleted': ofServer('The server was deleted.', { status: 'deleting' }),
  'server.updated': {
    when: 'Something about the server other than its `status` has changed.',
    data: {
      server: ServerThen,
      changed: Type.Array(Word([...serverChanges], { description: 'A field of the server.' }), {
        description:
          'What has changed: fields of `GET /v1/servers/{id}`, and `traffic_allowance` of its usage. The event has the new ' +
          'values of some of them.',
        examples: [['hostname', 'labels']],
      }),
    },
    example: { server: serverExample, changed: ['hostname', 'labels'] },
  },
  'operation.created': ofOperation('An operation was requested.', {
    status: 'pending',
    progress: 0,
    message: 'Creating the server',
  }),
  'operation.progress': ofOperation(
    'The operation began, went on, waits or is retried. The end of a wait is told with the next message or progress.',
  ),
  'operation.ended': ofOperation(
    'The operation ended: it succeeded, failed, or was superseded or cancelled.',
    { status: 'succeeded', progress: 100, message: 'The server was created.' },
  ),
  'usage.allowance_reached': {
    when: 'A server has used 80 or 100 percent of its traffic allowance of a month.',
    data: {
      percent: Type.Integer({
        description: 'How much of the allowance is used, in percent: 80 or 100.',
        examples: [80],
      }),
      allowance: Nullable(
        Type.Integer({
          description: 'The allowance of the server at that time, in bytes a month.',
          examples: [1000000000000],
        }),
      ),
      month: Type.String({
        description: 'The calendar month (UTC).',
        examples: ['2026-11'],
      }),
    },
    example: { percent: 80, allowance: 1000000000000, month: '2026-11' },
  },
  'webhook.paused': {
    when: 'Berth has stopped delivering to a webhook, because its receiver fails. Other webhooks get this event.',
    data: { webhook: WebhookThen },
    example: { webhook: { id: 4, name: 'deploy-bot', paused_because: 'failing' } },
  },
  'node.online': ofNode('A node was added, or is available again.', 'online'),
  'node.offline': ofNode('A node, or its location, does not answer.', 'offline'),
  'node.evacuated': ofNode('A node was evacuated.', 'evacuated'),
  'node.cordoned': ofNode('A node gets no new servers.', 'cordoned'),
  'node.gone': ofNode('A node is no longer a member of its cluster.', 'gone'),
  'node.lost': ofNode('A node was declared lost.', 'lost'),
} satisfies Record<string, Kind>;

export type EventType = keyof typeof kinds;
export const eventTypes = Object.keys(kinds) as EventType[];

/** `ServerStarted` of `server.started`. */
const titleOf = (type: EventType) =>
  type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());

const times = { id: 1024, at: '2026-11-21T04:32:50.120000Z' };

/** An example of each type. */
export const eventExamples = Object.fromEntries(
  eventTypes.map((type) => {
    const isOfNode = type.startsWith('node.');
    const isOfServer = !isOfNode && !type.startsWith('webhook.');
    const of = { project_id: isOfNode ? null : 1, server_id: isOfServer ? 42 : null };
    return [type, { ...times, type, ...of, data: kinds[type].example }];
  }),
) as Record<EventType, Event>;

function schemaOf(type: EventType) {
  const { when, data }: Kind = kinds[type];
  return Type.Object(
    {
      id: Type.Integer({
        description:
          'The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later ' +
          'one was listed or sent. IDs have gaps.',
        examples: [times.id],
      }),
      type: Type.Enum([type], {
        type: 'string',
        description: `The type of the event. ${when}`,
        examples: [type],
      }),
      at: Timestamp('The time of the change that the event is about.'),
      project_id: Nullable(
        Type.Integer({
          description: 'The ID of the project. Null for an event of a node.',
          examples: [1],
        }),
      ),
      server_id: Nullable(
        Type.Integer({
          description: 'The ID of the server. Null for an event of a node or a webhook.',
          examples: [42],
        }),
      ),
      data: Type.Object(data, { description: 'What the event is about.' }),
    },
    { title: `${titleOf(type)}Event`, description: when, examples: [eventExamples[type]] },
  );
}

/** The schema of each type. */
export const eventSchemas = Object.fromEntries(
  eventTypes.map((type) => [type, schemaOf(type)]),
) as unknown as Record<EventType, TObject>;

export interface Event {
  id: number;
  type: EventType;
  at: string;
  project_id: number | null;
  server_id: number | null;
  data: Record<string, unknown>;
}

export const Event = Type.Unsafe<Event>(
  Type.Union(Object.values(eventSchemas), {
    title: 'Event',
    description:
      'A change of a server, an operation, a node or a webhook, or a traffic allowance that was reached.',
  }),
);

export const EventQuery = Closed({
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: maxId,
      description:
        'Return only events after the one with this ID, which need not exist. 0 returns all that are kept. A stream begins ' +
        'after it; the header `Last-Event-ID` takes precedence.',
      examples: [1024],
      explain: 'Must be the ID of an event, or 0.',
    }),
  ),
  ...pageParameters,
  type: AnyOf(
    Word([...eventTypes], {
      description: 'Return only events of this type.',
      examples: ['server.started'],
    }),
  ),
  server_id: AnyOf(
    Reference(
      'server',
      'Return only events of this server. A server that no longer exists is found only by its ID or UUID.',
    ),
  ),
  label_selector: LabelSelector(
    'Return only events of servers whose labels at that time satisfy this selector',
    'An empty selector selects all events.',
  ),
  project_id: AnyOf(
    Reference(
      'project',
      'Return only events of this project. Only administrators can name a project other than their own.',
    ),
  ),
});
export type EventQuery = Static<typeof EventQuery>;
