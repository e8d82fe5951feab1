import { type Static, Type } from 'typebox';
import { OperationOutcome } from './operations.ts';
import { Nullable } from './values.ts';

export const FieldError = Type.Object(
  {
    pointer: Type.String({
      description:
        'The location of the invalid value: a JSON pointer (RFC 6901) into the body or the query.',
      examples: ['/cpu'],
    }),
    detail: Type.String({
      description: 'What the value must be.',
      examples: ['Must be a whole number from 1.'],
    }),
  },
  { title: 'FieldError', description: 'An invalid field of the body, or parameter of the query.' },
);

const ProblemOperation = Type.Object(
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
      'The operation that the problem is about. If its `status` is `failed` or `superseded`, it carried out this ' +
      'request, and `code` of the problem says why it ended. With the code `operation_in_progress` it is the operation ' +
      'that is still in progress and prevents this request. Other problems do not have this field.',
  },
);

/** RFC 9457, with members of our own; some codes add more. */
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
      description: 'What went wrong this time and what to do about it, in words for a person.',
      examples: ['/cpu: Must be a whole number from 1.'],
    }),
    code: Type.String({
      description: 'The kind of error, for programs. `/docs/errors` explains each code.',
      examples: ['validation_failed'],
    }),
    request_id: Type.String({
      description:
        'The ID of the request, under which it stands in the logs. The header `X-Request-Id` has the same value.',
      examples: ['1c9f0d1e-52a4-4c35-a2a5-3f6f0f0b4f0a'],
    }),
    operation: Type.Optional(ProblemOperation),
    errors: Type.Optional(
      Type.Array(FieldError, {
        description:
          'The invalid fields. Present where single values can be named, as with `validation_failed`.',
      }),
    ),
    message: Type.String({
      description: 'The same text as `detail`.',
      examples: ['/cpu: Must be a whole number from 1.'],
    }),
  },
  {
    title: 'Problem',
    additionalProperties: true,
    description:
      'An error, in the format of RFC 9457. Some codes add further fields, which `/docs/errors` names.',
  },
);
export type Problem = Static<typeof Problem>;
