import { type Static, Type } from 'typebox';
import { auditActions } from './actions.ts';
import { AnyOf, period } from './filters.ts';
import { pageParameters, sortParameter } from './pagination.ts';
import { Reference, ReferenceBy } from './references.ts';
import { Closed, Nullable, Timestamp, Word } from './values.ts';

const targetKinds = [
  'server',
  'project',
  'token',
  'location',
  'node',
  'operating_system',
  'address_pool',
  'user',
] as const;
export type AuditTargetKind = (typeof targetKinds)[number];

const TargetKind = Word([...targetKinds], {
  description: 'What it was done to.',
  examples: ['server'],
});

export const AuditEntry = Type.Object(
  {
    id: Type.Integer({ examples: [12] }),
    at: Timestamp('When it was entered.'),
    project_id: Nullable(
      Type.Integer({
        description:
          'Whose history it belongs to; null for what is of no project, such as users and locations.',
        examples: [1],
      }),
    ),
    token_id: Nullable(Type.Integer({ description: 'With which token.', examples: [3] })),
    user_id: Nullable(
      Type.Integer({ description: 'Who: the person, or whose token it is.', examples: [2] }),
    ),
    source: Word(['api', 'command_line', 'berth'], {
      description:
        'How: with a request; with a tool on the command line, of which no person is known; or by Berth ' +
        'itself.',
      examples: ['api'],
    }),
    address: Nullable(
      Type.String({
        description:
          'From where, the last of several; null for a tool and for Berth itself, for several callers, and, but for administrators, of an administrator who is no member of the project.',
        examples: ['203.0.113.7'],
      }),
    ),
    address_count: Type.Integer({
      minimum: 0,
      maximum: 1000,
      description:
        'From how many addresses, of which 1,000 are told apart; 0 for a tool and for Berth itself.',
      examples: [1],
    }),
    action: Type.String({
      description:
        'What: the `operationId` of the request. By Berth itself: `traffic_notice`, `traffic_throttle`, ' +
        '`initial_commands_failed` of a create that has ended, `statement_correct`, or a `server_stop` of a server whose ' +
        'traffic allowance is used up. `requests_refused`: of several actions.',
      examples: ['server_create'],
    }),
    target: Nullable(
      Type.Object(
        { kind: TargetKind, id: Type.Integer({ examples: [42] }) },
        { description: 'To what; of a refusal, what the path names, if it names any.' },
      ),
    ),
    status: Type.Integer({
      description: 'Of the answer, the last of several: below 400 it was done.',
      examples: [201],
    }),
    code: Nullable(
      Type.String({
        description: 'Why it was refused; null for several reasons.',
        examples: ['no_capacity'],
      }),
    ),
    request_id: Nullable(
      Type.String({ description: 'The `X-Request-Id` of the answer; null where there was none.' }),
    ),
    details: Nullable(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'What was given or changed, where there is more to say: quota, role, scopes, is_admin, is_disabled, ' +
            'percent, allowance, throttled_to, throttle_error, force, operation_id, total, failed. Of ' +
            '`requests_refused`, `actions`: how many there were of each.',
          examples: [{ role: { before: 'viewer', after: 'member' } }],
        },
      ),
    ),
    count: Type.Integer({
      minimum: 1,
      description:
        'How many requests the entry stands for. 1 for a change, and for the first of several refusals. ' +
        'What is then refused to the same token or person, with the same action and code, is counted for a ' +
        'minute, and entered as one: with the target if they all had the same, and the `address` and ' +
        '`request_id` of the last. Where nobody is known, such as at a sign-in, it is what came from the same ' +
        'address (an IPv6 /64 as one) for the same target. What is refused to one token or person, or in one ' +
        'project, in very many ways within a minute is entered together, as `requests_refused` if the actions differ.',
      examples: [1],
    }),
    first_at: Timestamp('When the first of them was.'),
    last_at: Timestamp('When the last of them was.'),
  },
  { title: 'AuditEntry', description: 'Something that was changed, or was not let be.' },
);
export type AuditEntry = Static<typeof AuditEntry>;

const filters = {
  action: AnyOf(
    Word([...auditActions], {
      description: 'Only these actions.',
      examples: ['server_delete'],
    }),
  ),
  token_id: AnyOf(Reference('token', 'Only what was asked with this token.')),
  user_id: AnyOf(Reference('user', 'Only what this person asked, or tokens of theirs.')),
  target_kind: AnyOf(TargetKind),
  target_id: AnyOf(
    ReferenceBy('target_kind', 'Only what was done to this one; with one `target_kind`.'),
  ),
  project_id: AnyOf(
    Reference(
      'project',
      'Only of the history of this project: for administrators, of any project.',
    ),
  ),
  status: AnyOf(
    Type.Integer({
      minimum: 100,
      maximum: 599,
      description: 'Only those with this status.',
      examples: [403],
      explain: 'Must be a status of HTTP, such as 403.',
    }),
  ),
  address: AnyOf(
    Type.String({
      anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }],
      description: 'Only from this address, where it is shown; of several, the last.',
      examples: ['203.0.113.7'],
      explain: 'Must be an IP address, such as 203.0.113.7.',
    }),
  ),
  request_id: AnyOf(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[!-~]*$',
      description: 'Only what came of this request.',
      explain: 'Must be the X-Request-Id of an answer.',
    }),
  ),
  ...period('entries', 'recorded'),
};

export const AuditQuery = Closed({ ...pageParameters, sort: sortParameter(['id']), ...filters });
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditExportQuery = Closed(filters);
export type AuditFilters = Static<typeof AuditExportQuery>;
