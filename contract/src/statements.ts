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

const decimal = (description: string, example: string) =>
  Type.String({
    description: `${description} It is a decimal number in text.`,
    examples: [example],
  });

const currency = Type.String({
  description: 'The currency, as the code of ISO 4217.',
  examples: ['EUR'],
});

const prices = (description: string) =>
  Type.Array(
    Type.Object(
      { currency, amount: decimal('The sum of the charges in this currency.', '3.8456') },
      { description: 'The sum of the charges in one currency.' },
    ),
    { description },
  );

const StatementCharge = Type.Object(
  {
    size_id: Id('the size', 1),
    size: Type.String({
      description: 'The name of the size, as it is now, or was when the size was deleted.',
      examples: ['small'],
    }),
    currency,
    price_hourly: decimal('The price of an hour.', '0.0074'),
    price_monthly: Nullable(
      decimal(
        'The most that a server of this size costs in a month. Null if there is no such limit.',
        '4.59',
      ),
    ),
    hours: Type.Number({
      description:
        'The hours of this month in which the server had this size, and the size had this price.',
      examples: [519.675676],
    }),
    amount: decimal(
      'What these hours cost: `hours` multiplied by `price_hourly`, rounded to six decimals. They cost less, or nothing, ' +
        'once this size has cost the server its `price_monthly` in this month.',
      '3.8456',
    ),
  },
  { title: 'StatementCharge', description: 'What one size of a server costs at one price.' },
);
export type StatementCharge = Static<typeof StatementCharge>;

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
    size: Nullable(
      Type.String({
        description:
          'The name of the size that the server has now, or had when it was deleted. Null if it has none.',
        examples: ['small'],
      }),
    ),
    prices: prices(
      'What the server costs in this month, in each currency: the sums of `charges`. Empty if none of its hours has a price. ' +
        'In the CSV file, they are separated by spaces: `EUR=3.8456`.',
    ),
    charges: Type.Array(StatementCharge, {
      description:
        'What the server costs in this month, by size and price, in the order of time. The CSV file does not have them.',
    }),
  },
  { title: 'StatementServer', description: 'The usage of one server in a month.' },
);
export type StatementServer = Static<typeof StatementServer>;

const { charges: _, ...inTable } = StatementServer.properties;

/** The fields that the CSV file has, in the order of its columns. */
export const statementColumns = Object.keys(inTable) as (keyof typeof inTable)[];

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
    prices: prices(
      'What all servers together cost in this month, in each currency: the sums of their `prices`.',
    ),
  },
  {
    title: 'Statement',
    description:
      'The resources and traffic that the servers of a project used in a calendar month.',
  },
);
export type Statement = Static<typeof Statement>;
