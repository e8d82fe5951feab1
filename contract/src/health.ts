import { type Static, Type } from 'typebox';
import { Word } from './values.ts';

export const Health = Type.Object(
  {
    status: Word(['ok', 'degraded', 'failing'], {
      description:
        'Whether the service can handle requests. It is `failing` if a check is; of the locations it is enough that ' +
        'one can be reached. It is `degraded` if the service can handle requests, but a check is `degraded`.',
      examples: ['ok'],
    }),
    checks: Type.Array(
      Type.Object(
        {
          name: Type.String({
            description: 'The name of the component that was checked.',
            examples: ['database'],
          }),
          status: Word(['ok', 'degraded', 'failing'], {
            description:
              'Whether the component works. It is `degraded` if something is lost or missing that other requests do without.',
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
