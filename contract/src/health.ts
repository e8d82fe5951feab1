import { type Static, Type } from 'typebox';
import { Word } from './values.ts';

export const Health = Type.Object(
  {
    status: Word(['ok', 'degraded', 'failing'], {
      description:
        'Whether the service can handle requests. It is `failing` if a check is; one reachable location is enough. It is `degraded` if the service can handle requests, but a check is `degraded`.',
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
              'Whether the component works. It is `degraded` if something is missing that only some requests need.',
            examples: ['ok'],
          }),
          detail: Type.String({
            description: 'The result of the check, as human-readable text.',
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
