import { type Static, Type } from 'typebox';
import { Nullable } from './values.ts';

export const Version = Type.Object(
  {
    version: Type.String({
      description: 'The release of Berth, by Semantic Versioning.',
      examples: ['1.0.0-rc.1'],
    }),
    commit: Nullable(
      Type.String({
        description:
          'The Git commit that the service was built from. Null if it runs neither from a release nor from a Git clone.',
        examples: ['0c7f2f1f6d7c8b8f3a9f0a6f1c5d2e4b7a9c0d1e'],
      }),
    ),
    schema: Type.String({
      description:
        'The newest database migration of this release. During an upgrade the database may have a later one.',
      examples: ['0030-no-virtual-machines'],
    }),
  },
  { title: 'Version', description: 'The release of Berth that this service runs.' },
);
export type Version = Static<typeof Version>;
