import { type Static, Type } from 'typebox';
import { Word } from './values.ts';

export const Health = Type.Object(
  {
    status: Word(['ok', 'failing'], {
      description:
        '`ok` when the service can serve: every check is, but for locations as long as one answers.',
      examples: ['ok'],
    }),
    checks: Type.Array(
      Type.Object({
        name: Type.String({ description: 'The part.', examples: ['database'] }),
        status: Word(['ok', 'failing'], { description: 'Whether it works.', examples: ['ok'] }),
        detail: Type.String({ description: 'More about it.', examples: ['It answers.'] }),
      }),
    ),
  },
  { title: 'Health', description: 'Whether the service can serve, part by part.' },
);
export type Health = Static<typeof Health>;
