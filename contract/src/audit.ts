import { type Static, Type } from 'typebox';
import { auditActions } from './actions.ts';
import { AnyOf, period } from './filters.ts';
import { auditedNouns } from './nouns.ts';
import { pageParameters, sortParameter } from './pagination.ts';
import { Reference, ReferenceBy } from './references.ts';
import { requestIdPattern } from './text.ts';
import { Closed, Id, Nullable, Timestamp, Word } from './values.ts';

const TargetKind = Word([...auditedNouns], {
  description: 'The kind of object that the action was about.',
  examples: ['server'],
});

export const AuditEntry = Type.Object(
  {
    id: Id('the entry', 12),
    at: Timestamp('The time at which the entry was recorded.'),
    project_id: Nullable(
      Type.Integer({
        description:
          'The ID of the project to whose history the entry belongs. Null for actions that are about no project, such as ' +
          'changes of users and locations.',
        examples: [1],
      }),
    ),
    token_id: Nullable(
      Type.Integer({
        description: 'The ID of the token of the request. Null if it was made without a token.',
        examples: [3],
      }),
    ),
    user_id: Nullable(
      Type.Integer({
        description:
          'The ID of the user who made the request, or to whom its token belongs. Null if no user is known.',
        examples: [2],
      }),
    ),
    source: Word(['api', 'command_line', 'berth'], {
      description:
        'The source of the action. `api`: a request. `command_line`: a command-line tool, whose user is not known. ' +
        '`berth`: Berth itself.',
      examples: ['api'],
    }),
    address: Nullable(
      Type.String({
        description:
          'The IP address of the request, or of the last one if the entry stands for several. Null if the source is not ' +
          '`api`, and if the entry stands for several callers. Also null for an administrator who is not a member of the ' +
          'project, unless an administrator asks.',
        examples: ['203.0.113.7'],
      }),
    ),
    address_count: Type.Integer({
      minimum: 0,
      maximum: 1000,
      description:
        'The number of IP addresses that the requests came from, up to 1,000. It is 0 if the source is not `api`.',
      examples: [1],
    }),
    action: Type.String({
      description:
        'The action: the `operationId` of the request. A request for several servers has an entry for each of them, with ' +
        'the action on it, such as `server_stop`, and the same `request_id`. Actions of Berth itself are `traffic_notice`, `traffic_throttle`, `webhook_pause`, ' +
        '`initial_commands_failed` at the end of the creation of a server, `statement_correct`, and `server_stop` for a ' +
        'server that has used up its traffic allowance. Actions only of command-line tools are `database_export`, ' +
        '`database_import` and `secret_key_rotate`. `requests_refused` stands for refusals of several actions.',
      examples: ['server_create'],
    }),
    target: Nullable(
      Type.Object(
        { kind: TargetKind, id: Id('the object', 42) },
        {
          description:
            'The object that the action was about. For a refused request it is the one that the path names. Null if ' +
            'there is none.',
        },
      ),
    ),
    status: Type.Integer({
      description:
        'The HTTP status code of the response, or of the last one if the entry stands for several. The action was done ' +
        'if it is below 400.',
      examples: [201],
    }),
    code: Nullable(
      Type.String({
        description:
          'The code of the problem. Null unless the request was refused, and if the entry stands for refusals with ' +
          'several codes.',
        examples: ['no_capacity'],
      }),
    ),
    request_id: Nullable(
      Type.String({
        description: 'The `X-Request-Id` of the response. Null if the source is not `api`.',
        examples: ['1c9f0d1e-52a4-4c35-a2a5-3f6f0f0b4f0a'],
      }),
    ),
    details: Nullable(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'Further details of the action, such as values before and after a change: quota, role, scopes, is_admin, ' +
            'is_disabled, percent, allowance, throttled_to, throttle_error, force, operation_id, total, failed, key, file, ' +
            'as_of, revoked_tokens, password_changed, generated, name, labels, notes_changed, protection, instance, ' +
            'drift, incus_project, adopt_from, url_origin, types, label_selector, headers_changed, former_secret_until, delivery, paused_because, failing_since. `machine_user` is who ran a command-line tool on its machine, and is shown to administrators only. For ' +
            '`requests_refused`, `actions` holds the number of requests for each action. Null if there are none.',
          examples: [{ role: { before: 'viewer', after: 'member' } }],
        },
      ),
    ),
    count: Type.Integer({
      minimum: 1,
      description:
        'The number of requests that the entry stands for. It is 1 for a change, and for the first of several refusals. ' +
        'Further refusals within a minute of the same action, to the same token or user and with the same code, are ' +
        'recorded in one entry, with the target if all had the same one, and the `address` and `request_id` of the last. ' +
        'If the caller is unknown, as at a sign-in, requests from the same address (for IPv6, the same /64) for the same ' +
        'target are recorded together. If one caller, or one project, is refused in very many ways within a minute, the ' +
        'rest is recorded in one entry, with the action `requests_refused` if the actions differ.',
      examples: [1],
    }),
    first_at: Timestamp('The time of the first of these requests.'),
    last_at: Timestamp('The time of the last of these requests.'),
  },
  {
    title: 'AuditEntry',
    description: 'An action that changed something, or a request that was refused.',
  },
);
export type AuditEntry = Static<typeof AuditEntry>;

const filters = {
  action: AnyOf(
    Word([...auditActions], {
      description: 'Return only entries with this action.',
      examples: ['server_delete'],
    }),
  ),
  token_id: AnyOf(Reference('token', 'Return only requests with this token.')),
  user_id: AnyOf(Reference('user', 'Return only requests of this user or of their tokens.')),
  target_kind: AnyOf(
    Word([...auditedNouns], {
      description: 'Return only entries about objects of this kind.',
      examples: ['server'],
    }),
  ),
  target_id: AnyOf(
    ReferenceBy(
      'target_kind',
      'Return only entries about this object. It requires exactly one `target_kind`. The list is empty for an ID that no ' +
        'entry is about.',
    ),
  ),
  project_id: AnyOf(
    Reference(
      'project',
      'Return only the history of this project. Only administrators can name a project other than their own.',
    ),
  ),
  status: AnyOf(
    Type.Integer({
      minimum: 100,
      maximum: 599,
      description: 'Return only entries with this HTTP status code.',
      examples: [403],
      explain: 'Must be an HTTP status code, such as 403.',
    }),
  ),
  address: AnyOf(
    Type.String({
      anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }],
      description:
        'Return only entries with this IP address: the last one, if an entry stands for several requests. Entries whose ' +
        'address is hidden from the caller do not match.',
      examples: ['203.0.113.7'],
      explain: 'Must be an IP address, such as 203.0.113.7.',
    }),
  ),
  request_id: AnyOf(
    Type.String({
      pattern: requestIdPattern,
      description: 'Return only the entries of this request, by its `X-Request-Id`.',
      examples: ['1c9f0d1e-52a4-4c35-a2a5-3f6f0f0b4f0a'],
      explain:
        'Must be the X-Request-Id of a response: 1 to 64 letters, digits, dots, underscores and hyphens.',
    }),
  ),
  ...period('entries', 'recorded'),
};

export const AuditQuery = Closed({ ...pageParameters, sort: sortParameter(['id']), ...filters });
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditExportQuery = Closed(filters);
export type AuditFilters = Static<typeof AuditExportQuery>;
