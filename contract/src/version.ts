import { type Static, Type } from 'typebox';
import { Nullable } from './values.ts';

export const Version = Type.Object(
  {
    version: Type.String({
      description: 'The release (Semantic Versioning).',
      examples: ['1.0.0-rc.1'],
    }),
    commit: Nullable(
      Type.String({
        description:
          'The Git commit that the service was made of; null where it runs neither from a release nor from a clone.',
        examples: ['0c7f2f1f6d7c8b8f3a9f0a6f1c5d2e4b7a9c0d1e'],
      }),
    ),
    schema: Type.String({
      description:
        'The newest database migration of this release. The database has it, or a later one while an upgrade is under way.',
      examples: ['0030-no-virtual-machines'],
    }),
  },
  { title: 'Version', description: 'Which release of Berth answers.' },
);
export type Version = Static<typeof Version>;
