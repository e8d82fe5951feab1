import { type Static, Type } from 'typebox';
import { Closed, Nullable, Timestamp } from './values.ts';

export const StatementQuery = Closed({
  month: Type.Optional(
    Type.String({
      pattern: '^(?!0000)\\d{4}-(0[1-9]|1[0-2])$',
      description: 'A calendar month in UTC; without it, this one.',
      examples: ['2026-11'],
      explain: 'Must be a month such as 2026-11.',
    }),
  ),
});
export type StatementQuery = Static<typeof StatementQuery>;

const hours = (description: string, example: number) =>
  Type.Number({ description, examples: [example] });

const bytes = (description: string) => Type.Integer({ description, examples: [734003200] });

const StatementServer = Type.Object(
  {
    server_id: Type.Integer({ examples: [42] }),
    uuid: Type.String({ examples: ['6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10'] }),
    hostname: Type.String({ examples: ['web-1'] }),
    location_id: Type.Integer({ examples: [1] }),
    created_at: Timestamp('When it was asked for.'),
    deleted_at: Nullable(Timestamp('When it was gone; null while it is there.')),
    hours: hours('That the engine had its instance in this month.', 720),
    hours_running: hours('That it ran.', 700.5),
    core_hours: hours('Cores that it had, by the hours that it ran.', 1401),
    ram_gb_hours: hours('GiB of memory that it had, by the hours that it ran.', 1401),
    disk_gb_hours: hours('GiB of disk that it had, by `hours`.', 14400),
    bytes_in: bytes('That came to it.'),
    bytes_out: bytes('That it sent.'),
  },
  { title: 'StatementServer' },
);
export type StatementServer = Static<typeof StatementServer>;

/** In the order of the columns of the CSV. */
export const statementColumns = Object.keys(
  StatementServer.properties,
) as (keyof StatementServer)[];

export const Statement = Type.Object(
  {
    project_id: Type.Integer({ examples: [1] }),
    month: Type.String({ examples: ['2026-11'] }),
    from: Timestamp('Where it begins.'),
    to: Timestamp('Where it ends: with the month, or now.'),
    is_final: Type.Boolean({
      description:
        'Whether the month is over and all of it counted, so that no figure changes any more.',
    }),
    servers: Type.Array(StatementServer, {
      description: 'Each that existed in this month, by id; deleted ones too.',
    }),
  },
  { title: 'Statement', description: 'What the servers of a project had and moved in a month.' },
);
export type Statement = Static<typeof Statement>;
