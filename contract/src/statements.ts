import { type Static, Type } from 'typebox';
import { Labels } from './labels.ts';
import { Closed, Id, Nullable, Timestamp } from './values.ts';

export const StatementQuery = Closed({
  month: Type.Optional(
    Type.String({
      pattern: '^(?!0000)\\d{4}-(0[1-9]|1[0-2])$',
      description: 'The calendar month (UTC) of the statement. The default is the current month.',
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
    server_id: Id('the server', 42),
    uuid: Type.String({
      description: 'The UUID of the server.',
      examples: ['6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10'],
    }),
    hostname: Type.String({ description: 'The host name of the server.', examples: ['web-1'] }),
    location_id: Id('the location of the server', 1),
    created_at: Timestamp('The time at which the server was requested.'),
    deleted_at: Nullable(
      Timestamp('The time at which the server ceased to exist. Null while it exists.'),
    ),
    hours: hours('The hours of this month in which the instance of the server existed.', 720),
    hours_running: hours('The hours of this month in which the server was running.', 700.5),
    core_hours: hours('The CPU cores of the server, multiplied by the hours it was running.', 1401),
    ram_gb_hours: hours(
      'The memory of the server in GiB, multiplied by the hours it was running.',
      1401,
    ),
    disk_gb_hours: hours('The disk size of the server in GiB, multiplied by `hours`.', 14400),
    bytes_in: bytes('The traffic that the server received in this month, in bytes.'),
    bytes_out: bytes('The traffic that the server sent in this month, in bytes.'),
    labels: Labels(
      'The labels of the server as they are now, or were when it was deleted. In the CSV file, they are separated by ' +
        'spaces: `env=prod team=web`.',
    ),
  },
  { title: 'StatementServer', description: 'The usage of one server in a month.' },
);
export type StatementServer = Static<typeof StatementServer>;

/** The fields, in the order of the columns of the CSV file. */
export const statementColumns = Object.keys(
  StatementServer.properties,
) as (keyof StatementServer)[];

export const Statement = Type.Object(
  {
    project_id: Id('the project', 1),
    month: Type.String({
      description: 'The calendar month of the statement, in UTC.',
      examples: ['2026-11'],
    }),
    from: Timestamp('The beginning of the month.'),
    to: Timestamp('The end of the month, or the present time during the month.'),
    is_final: Type.Boolean({
      description:
        'Whether the statement is final: the month is over, all usage has been counted, and no figure will change. Use only final statements for bills.',
    }),
    servers: Type.Array(StatementServer, {
      description:
        'The usage of each server that existed in this month, including deleted ones, sorted by ID.',
    }),
  },
  {
    title: 'Statement',
    description:
      'The resources and traffic that the servers of a project used in a calendar month.',
  },
);
export type Statement = Static<typeof Statement>;
