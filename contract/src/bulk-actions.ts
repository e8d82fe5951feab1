import { type Static, Type } from 'typebox';
import { LabelSelector } from './labels.ts';
import { OperationOutcome } from './operations.ts';
import { ProblemOperation } from './problems.ts';
import { Reference } from './references.ts';
import { bulkActions } from './server-actions.ts';
import { Closed, Id, Word } from './values.ts';

/** The number of servers on which one request can act. */
export const mostServers = 100;

export const BulkAction = Closed(
  {
    action: Word([...bulkActions], {
      description: 'What to do with each of the servers.',
      examples: ['stop'],
    }),
    ids: Type.Optional(
      Type.Array(
        Reference('server', 'A server of the project. List the servers with `GET /v1/servers`.'),
        {
          minItems: 1,
          maxItems: mostServers,
          description:
            `The servers: 1 to ${mostServers} of them. One that is named several times counts once. An ID that no server of ` +
            'the project has is refused in `results`, such as that of a server that was deleted meanwhile. A name or a UUID ' +
            'that no server has makes the whole request invalid, and nothing is done.',
          explain: `Must be an array of 1 to ${mostServers} IDs, names or UUIDs of servers.`,
        },
      ),
    ),
    label_selector: LabelSelector(
      'The servers of the project whose labels satisfy this selector',
      `If more than ${mostServers} servers do, the request is refused as invalid, and nothing is done. If none does, ` +
        '`results` is empty. A server whose labels are changed meanwhile is left out if they no longer satisfy the ' +
        'selector. An empty selector is refused, because it would select all servers.',
    ),
    force: Type.Optional(
      Type.Boolean({
        description:
          'Whether to cut the power of the servers instead of shutting down their guests. Only for `stop`. The default is ' +
          '`false`.',
        explain: 'Must be true or false.',
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({
        description:
          'Whether to change nothing, and to return only which servers would accept the action. Other than most dry runs, ' +
          'it counts as an action in the rate limits, and not as a read. The default is `false`.',
        explain: 'Must be true or false.',
      }),
    ),
  },
  {
    title: 'BulkAction',
    description:
      'An action, and the servers on which to carry it out: those of `ids`, or those that `label_selector` selects. One of ' +
      'the two is required.',
    anyOf: [{ required: ['ids'] }, { required: ['label_selector'] }],
    explain: 'Must have either `ids` or `label_selector`.',
  },
);
export type BulkAction = Static<typeof BulkAction>;

const Refusal = Type.Object(
  {
    status: Type.Integer({
      description: 'The HTTP status code that a request for this server alone would have got.',
      examples: [409],
    }),
    code: Type.String({
      description: 'The kind of error, for programs. `/docs/errors` explains each code.',
      examples: ['server_not_running'],
    }),
    detail: Type.String({
      description: 'Why the server was refused and what to do about it, as human-readable text.',
      examples: ['The server is stopped already.'],
    }),
    operation: Type.Optional(
      Type.Object(ProblemOperation.properties, {
        description:
          'The operation in progress, which prevents the action. Present with the code `operation_in_progress`.',
      }),
    ),
  },
  {
    title: 'Refusal',
    description:
      'Why the action was refused for a server, with the code that a request for this server alone would have got.',
  },
);

const BulkResult = Type.Object(
  {
    server_id: Id('the server', 42),
    accepted: Type.Boolean({
      description: 'Whether the action was accepted for the server, or would be in a dry run.',
      examples: [true],
    }),
    operation: Type.Optional(OperationOutcome),
    problem: Type.Optional(Refusal),
  },
  {
    title: 'BulkResult',
    description:
      'What has become of the action for one server. `operation` is present if it was accepted, except in a dry run, and ' +
      '`problem` if it was refused.',
  },
);
export type BulkResult = Static<typeof BulkResult>;

export const BulkAnswer = Type.Object(
  {
    message: Type.String({
      description: 'For how many servers the action was accepted, as human-readable text.',
      examples: ['The action stop was accepted for 2 of 3 servers.'],
    }),
    accepted: Type.Integer({
      minimum: 0,
      description: 'The number of servers for which the action was accepted, or would be.',
      examples: [2],
    }),
    refused: Type.Integer({
      minimum: 0,
      description: 'The number of servers for which the action was refused, or would be.',
      examples: [1],
    }),
    results: Type.Array(BulkResult, {
      description:
        'The result for each server, in the order of `ids`, or by ID if a selector selected them.',
    }),
  },
  {
    title: 'BulkAnswer',
    description:
      'For which servers an action was accepted. Each of them has an operation of its own, to poll with `GET ' +
      '/v1/operations/{id}`.',
  },
);
export type BulkAnswer = Static<typeof BulkAnswer>;
