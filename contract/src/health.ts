import { type Static, Type } from 'typebox';
import { Word } from './values.ts';

export const Health = Type.Object(
  {
    status: Word(['ok', 'failing'], {
      description:
        'Whether the service can handle requests. It is `ok` if every check is `ok`; of the locations it is enough ' +
        'that one can be reached.',
      examples: ['ok'],
    }),
    checks: Type.Array(
      Type.Object(
        {
          name: Type.String({
            description: 'The name of the component that was checked.',
            examples: ['database'],
          }),
          status: Word(['ok', 'failing'], {
            description: 'Whether the component works.',
            examples: ['ok'],
          }),
          detail: Type.String({
            description: 'The result of the check, in words for a person.',
            examples: ['It works.'],
          }),
        },
        { description: 'The result of the check of one component.' },
      ),
      { description: 'The result of the check of each component.' },
    ),
  },
  {
    title: 'Health',
    description:
      'Whether the service can handle requests, and the state of each of its components.',
  },
);
export type Health = Static<typeof Health>;
