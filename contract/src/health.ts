import { type Static, Type } from 'typebox';
import { Word } from './values.ts';

/** Why a check has the status that it has. */
export const HealthReason = Word(
  [
    'ok',
    'instances_unknown',
    'instances_not_compared',
    'database_unreachable',
    'database_read_only',
    'disk_full',
    'incus_unreachable',
    'incus_unusable',
    'location_unwatched',
    'secrets_unreadable',
    'timeout',
    'stopping',
    'failed',
  ],
  {
    description:
      'Why the check has this status: `ok` (the component works), `instances_unknown` (it works, but instances in Incus belong to no server), ' +
      '`instances_not_compared` (it works, but accepts no new servers until the instances have been compared with a restored database), ' +
      '`database_unreachable` (the database does not answer), `database_read_only` (it accepts no changes), `disk_full` (nothing can be written), `incus_unreachable` (Incus does not answer), ' +
      '`incus_unusable` (Incus answers, but the service that watches the location cannot use it), ' +
      '`location_unwatched` (no service watches the location), ' +
      '`secrets_unreadable` (encrypted values cannot be read), `timeout` (the check was not done within 2 seconds), ' +
      '`stopping` (the service is stopping) or `failed` (any other failure, which the log shows).',
    examples: ['ok'],
  },
);
export type HealthReason = Static<typeof HealthReason>;

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
          reason: HealthReason,
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
