import { type Static, Type } from 'typebox';
import { Exclusions, OperationOutcome } from './operations.ts';
import { quotaNames } from './projects.ts';
import { Nullable, Word } from './values.ts';

export const FieldError = Type.Object(
  {
    pointer: Type.Optional(
      Type.String({
        description:
          'The location of the invalid value in the body: a JSON pointer (RFC 6901). The name of an unknown field is cut if it is ' +
          'long, and its control characters are escaped. Present unless `parameter` is.',
        examples: ['/cpu'],
      }),
    ),
    parameter: Type.Optional(
      Type.String({
        description: 'The name of the invalid parameter of the query. Present unless `pointer` is.',
        examples: ['limit'],
      }),
    ),
    detail: Type.String({
      description: 'What the value must be.',
      examples: ['Must be an integer from 1.'],
    }),
  },
  { title: 'FieldError', description: 'An invalid field of the body, or parameter of the query.' },
);

export const ProblemOperation = Type.Object(
  {
    ...OperationOutcome.properties,
    kind: Type.String({ description: 'What the operation does.', examples: ['stop'] }),
    server_id: Nullable(
      Type.Integer({
        description: 'The ID of the server. Null for an operation on a node.',
        examples: [42],
      }),
    ),
    progress: Type.Integer({
      description: 'How much of the work was done, in percent.',
      examples: [40],
    }),
  },
  {
    description:
      'The operation that the problem is about. If its `status` is `failed`, `superseded` or `cancelled`, it carried out ' +
      'this request, and `code` of the problem says why it ended. With the code `operation_in_progress` it is the ' +
      'operation that is still in progress and prevents this request. With `not_cancellable` and `operation_ended` it is ' +
      'the operation that cannot be cancelled. Other problems do not have this field.',
  },
);

const Candidate = Type.Object(
  {
    id: Type.Integer({ description: 'The ID of the object.', examples: [42] }),
    name: Type.String({ description: 'The name of the object.', examples: ['web-1'] }),
    uuid: Type.Optional(
      Type.String({
        description: 'The UUID of the object. Present for servers.',
        examples: ['0b0f4c1e-8f0a-4f4b-9f06-0f6f0f3c7a55'],
      }),
    ),
    location: Type.Optional(
      Type.String({
        description: 'The name of the location. Present for nodes.',
        examples: ['fra1'],
      }),
    ),
  },
  { description: 'An object that has the name.' },
);

const amount = (description: string, example: number) =>
  Type.Optional(Type.Integer({ description, examples: [example] }));

/** Members of some codes only, which programs need to handle these. */
const membersOfCodes = {
  candidates: Type.Optional(
    Type.Array(Candidate, {
      description: 'The objects that have the name. Present with the code `ambiguous_name`.',
    }),
  ),
  quota: Type.Optional(
    Word([...quotaNames], {
      description:
        'The first quota of the project that is exceeded. Present, with `limit`, `used` and `asked`, with the code ' +
        '`quota_exceeded` of a request for servers.',
      examples: ['ram'],
    }),
  ),
  limit: amount('The limit of the quota, in its unit.', 8192),
  used: amount('How much of the quota the servers of the project hold.', 7680),
  asked: amount('How much of the quota the request asks for.', 1024),
  lacking: Type.Optional(
    Type.Array(
      Word(['ram', 'disk', 'cpu'], {
        description: 'A resource that is lacking.',
        examples: ['ram'],
      }),
      {
        description:
          'The resources of which the nodes do not have enough. Present, with `nodes` and `excluded`, with the code `no_capacity`.',
        examples: [['ram']],
      },
    ),
  ),
  nodes: amount('The number of nodes that were considered.', 5),
  excluded: Type.Optional(Exclusions),
  password: Type.Optional(
    Type.String({
      description:
        'The password that was generated. Present if the request to set it failed in such a way that it may have been set ' +
        'nevertheless.',
      examples: ['k3mwh8vx2qdc7tnreu5jb9fa'],
    }),
  ),
};

/** A problem of RFC 9457, with additional members. */
export const Problem = Type.Object(
  {
    type: Type.String({
      description:
        'A link to the explanation of this kind of error, relative to the API. Each `code` has its own.',
      examples: ['/docs/errors#validation_failed'],
    }),
    title: Type.String({
      description: 'A short name of the kind of error. It is always the same for a `code`.',
      examples: ['Validation failed'],
    }),
    status: Type.Integer({ description: 'The HTTP status code.', examples: [422] }),
    detail: Type.String({
      description: 'What went wrong this time and what to do about it, as human-readable text.',
      examples: ['/cpu: Must be an integer from 1.'],
    }),
    code: Type.String({
      description: 'The kind of error, for programs. `/docs/errors` explains each code.',
      examples: ['validation_failed'],
    }),
    request_id: Type.String({
      description:
        'The ID of the request, as it appears in the logs. The header `X-Request-Id` has the same value.',
      examples: ['1c9f0d1e-52a4-4c35-a2a5-3f6f0f0b4f0a'],
    }),
    operation: Type.Optional(ProblemOperation),
    errors: Type.Optional(
      Type.Array(FieldError, {
        description:
          'The invalid fields. Present where single values can be named, as with `validation_failed`.',
      }),
    ),
    ...membersOfCodes,
    message: Type.String({
      deprecated: true,
      description: 'Deprecated since 1.0.0-rc.1: use `detail`, which is the same text.',
      examples: ['/cpu: Must be an integer from 1.'],
    }),
  },
  {
    title: 'Problem',
    additionalProperties: true,
    description:
      'An error, in the format of RFC 9457. Some fields are present with some codes only.',
  },
);
export type Problem = Static<typeof Problem>;
