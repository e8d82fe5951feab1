import { type Static, Type } from 'typebox';
import { OperationOutcome } from './operations.ts';
import { Nullable } from './values.ts';

export const FieldError = Type.Object(
  {
    pointer: Type.String({
      description: 'Where the bad value is: a JSON pointer (RFC 6901) into the body or the query.',
      examples: ['/cpu'],
    }),
    detail: Type.String({
      description: 'What to do about it.',
      examples: ['Must be a whole number from 1.'],
    }),
  },
  { title: 'FieldError' },
);

const ProblemOperation = Type.Object(
  {
    ...OperationOutcome.properties,
    kind: Type.String({ description: 'What it does.', examples: ['stop'] }),
    server_id: Nullable(
      Type.Integer({ description: 'The server; null of an operation on a node.', examples: [42] }),
    ),
    progress: Type.Integer({ description: 'Percent of the work that was done.', examples: [40] }),
  },
  {
    description:
      'An operation that failed or was superseded: this one did what the request asked for, and the ' +
      'code of the problem is why it ended. With `operation_in_progress`: the operation that is in the ' +
      'way, which is still under way. No other problem has this field.',
  },
);

/** RFC 9457, with members of our own; some codes add more. */
export const Problem = Type.Object(
  {
    type: Type.String({
      description: 'A reference to where this kind of error is explained, one for each `code`.',
      examples: ['/docs/errors#validation_failed'],
    }),
    title: Type.String({
      description: 'The kind of error in words, always the same for a `code`.',
      examples: ['Validation failed'],
    }),
    status: Type.Integer({ description: 'The HTTP status.', examples: [422] }),
    detail: Type.String({
      description: 'What went wrong this time, for a person to read.',
      examples: ['/cpu: Must be a whole number from 1.'],
    }),
    code: Type.String({
      description: 'The kind of error, for a program to read.',
      examples: ['validation_failed'],
    }),
    request_id: Type.String({
      description: 'Names this request in the logs; also in the header `X-Request-Id`.',
      examples: ['1c9f0d1e-52a4-4c35-a2a5-3f6f0f0b4f0a'],
    }),
    operation: Type.Optional(ProblemOperation),
    errors: Type.Optional(Type.Array(FieldError, { description: 'Each bad field.' })),
    message: Type.String({
      description: 'The same as `detail`.',
      examples: ['/cpu: Must be a whole number from 1.'],
    }),
  },
  {
    title: 'Problem',
    additionalProperties: true,
    description: 'What went wrong (RFC 9457).',
  },
);
export type Problem = Static<typeof Problem>;
