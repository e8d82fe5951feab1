import { type Static, Type } from 'typebox';
import { Closed } from './values.ts';

const sortedBy = (columns: string[]) => columns.flatMap((column) => [column, `-${column}`]);

/** `limit` and `cursor`, for the query of every list. */
export const pageParameters = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description:
        'The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.',
      examples: [100],
      explain: 'Must be an integer from 1 to 1000.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description:
        'The position at which the page begins, as the `Link` header of the previous page has it. By default the ' +
        'first page is returned.',
      examples: ['eyJ2IjoxMDB9'],
      explain: 'Must be the cursor of a Link header.',
    }),
  ),
};

/** `sort`, for lists that can be sorted by more than their id. A leading `-` reverses the order. */
export function sortParameter(columns: string[]) {
  const values = sortedBy(columns);
  return Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: values,
      description:
        'The field to sort by, in ascending order. A leading `-` sorts in descending order. The default is `id`.',
      examples: [`-${columns[0]}`],
      explain: `Must be one of: ${values.join(', ')}.`,
    }),
  );
}

export const PageQuery = Closed(pageParameters);
export type PageQuery = Static<typeof PageQuery> & { sort?: string };
