import { type Static, Type } from 'typebox';
import { Closed } from './values.ts';

const sortedBy = (columns: string[]) => columns.flatMap((column) => [column, `-${column}`]);

/** `limit` and `cursor`, for the query of every list. */
export const pageParameters = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'How many to answer at most. Without it, all of them.',
      examples: [100],
      explain: 'Must be a whole number from 1 to 1000.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description: 'Where the page begins; taken from the `Link` header of the page before.',
      explain: 'Must be the cursor of a `Link` header.',
    }),
  ),
};

/** `sort`, for lists that can be sorted by more than their id. A leading `-` turns it round. */
export function sortParameter(columns: string[]) {
  const values = sortedBy(columns);
  return Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: values,
      description: 'What to sort by; a leading `-` turns the order round. Without it, by `id`.',
      explain: `Must be one of: ${values.join(', ')}.`,
    }),
  );
}

export const PageQuery = Closed(pageParameters);
export type PageQuery = Static<typeof PageQuery> & { sort?: string };
