import { type Static, Type } from 'typebox';
import { AnyOf, NamePrefix } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Reference } from './references.ts';
import { Description, noId, notAnId } from './text.ts';
import { Closed, Id, maxId, Nullable, Timestamp } from './values.ts';

const words = {
  cpu: 'The number of CPU cores.',
  ram: 'The amount of memory, in MiB.',
  disk: 'The disk size, in GiB.',
  hourly:
    'The price of an hour, as a decimal number in text. Hours count while the engine has the instance of the server, ' +
    'whether it runs or not.',
  monthly:
    'The most that a server of this size costs in a calendar month (UTC), as a decimal number in text.',
  currency: 'The currency of the prices, as the code of ISO 4217.',
  deprecated:
    'Whether the size is out of use: no server can be created with it or resized to it. Servers that have it keep it.',
} as const;

/** The price of a size. */
const SizePrice = Type.Object(
  {
    hourly: Type.String({ description: words.hourly, examples: ['0.0074'] }),
    monthly: Nullable(
      Type.String({
        description: `${words.monthly} Null if there is no such limit.`,
        examples: ['4.59'],
      }),
    ),
    currency: Type.String({ description: words.currency, examples: ['EUR'] }),
  },
  { description: 'What a server of this size costs from now on. Null if it has no price.' },
);
export type SizePrice = Static<typeof SizePrice>;

export const Size = Type.Object(
  {
    id: Id('the size', 1),
    name: Type.String({ description: 'The name of the size. It is unique.', examples: ['small'] }),
    description: Type.String({
      description: 'A human-readable description. It may be empty.',
      examples: ['For small websites'],
    }),
    cpu: Type.Integer({ description: words.cpu, examples: [2] }),
    ram: Type.Integer({ description: words.ram, examples: [2048] }),
    disk: Type.Integer({ description: words.disk, examples: [20] }),
    traffic_allowance: Nullable(
      Type.Integer({
        description:
          'The traffic allowance of a server of this size, in bytes per calendar month (UTC). Null if servers get the ' +
          '`traffic_allowance` of their location.',
        examples: [20_000_000_000_000],
      }),
    ),
    price: Nullable(SizePrice),
    location_ids: Nullable(
      Type.Array(Id('a location', 1), {
        description:
          'The IDs of the locations at which servers can get this size, without removed ones. Null if they can at all ' +
          'locations.',
      }),
    ),
    deprecated: Type.Boolean({ description: words.deprecated }),
    created_at: Timestamp('The time at which the size was created.'),
  },
  {
    title: 'Size',
    description: 'A size that servers can be created with and resized to, and what it costs.',
  },
);
export type Size = Static<typeof Size>;

export const SizeQuery = Closed({
  ...pageParameters,
  q: NamePrefix('sizes', 'name'),
  location_id: AnyOf(
    Reference('location', 'Return only sizes that servers can get at this location.'),
  ),
  deprecated: Type.Optional(
    Type.Boolean({
      description: 'Return only sizes that are out of use (`true`), or only the others (`false`).',
      explain: 'Must be true or false.',
    }),
  ),
});

const name = Type.String({
  pattern: `^${noId}[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$`,
  description: `The name of the size. It must be unique. ${notAnId}`,
  examples: ['small'],
  explain:
    'Must be 1 to 63 lowercase letters, digits, dots or hyphens, and begin and end with a letter or digit. ' +
    notAnId,
});

const description = Type.Optional(
  Description({
    description: 'A human-readable description. The default is an empty text.',
    examples: ['For small websites'],
  }),
);

const amount = (description: string, most: number, example: number) =>
  Type.Integer({
    ...{ minimum: 1, maximum: most, description, examples: [example] },
    explain: `Must be an integer from 1 to ${most}.`,
  });

const traffic_allowance = Type.Optional(
  Type.Unsafe<number | null>({
    ...{ type: ['integer', 'null'], minimum: 0, maximum: maxId },
    description:
      'The traffic allowance of a server of this size, in bytes per calendar month (UTC). With null, which is the default, ' +
      'servers get the `traffic_allowance` of their location. Servers that have the size keep their allowance.',
    examples: [20_000_000_000_000],
    explain: `Must be an integer from 0 to ${maxId}, or null for that of the location.`,
  }),
);

const decimal = '^(?:0|[1-9]\\d{0,8})(?:\\.\\d{1,6})?$';
const asDecimal =
  'a decimal number as text, such as "4.59", with at most 9 digits before and 6 after the point';

const price = Type.Optional(
  Type.Unsafe<(Pick<SizePrice, 'hourly' | 'currency'> & Partial<SizePrice>) | null>({
    ...Closed({
      hourly: Type.String({
        pattern: decimal,
        description: words.hourly,
        examples: ['0.0074'],
        explain: `Must be ${asDecimal}.`,
      }),
      monthly: Type.Optional(
        Type.Unsafe<string | null>({
          type: ['string', 'null'],
          pattern: decimal,
          description: `${words.monthly} It cannot be less than \`hourly\`. With null, which is the default, there is no such limit.`,
          examples: ['4.59'],
          explain: `Must be ${asDecimal}, or null.`,
        }),
      ),
      currency: Type.String({
        pattern: '^[A-Z]{3}$',
        description: words.currency,
        examples: ['EUR'],
        explain: 'Must be the code of a currency in three capital letters, such as EUR.',
      }),
    }),
    type: ['object', 'null'],
    description:
      'What a server of this size costs, from now on: hours before keep the price that they had. With null, which is the ' +
      'default, it has no price.',
    explain: 'Must be an object, or null for no price.',
  }),
);

const location_ids = Type.Optional(
  Type.Unsafe<number[] | null>({
    type: ['array', 'null'],
    items: Reference('location', 'A location at which servers can get this size.'),
    ...{ minItems: 1, maxItems: 1000, uniqueItems: true, examples: [[1, 'local']] },
    description:
      'The locations at which servers can get this size. With null, which is the default, they can at all locations. Servers ' +
      'that have the size keep it.',
    explain: 'Must be an array of 1 to 1000 different locations, by ID or name, or null for all.',
  }),
);

export const SizeCreate = Closed(
  {
    name,
    description,
    cpu: amount(words.cpu, 1024, 2),
    ram: amount(words.ram, 64 * 1024 * 1024, 2048),
    disk: amount(words.disk, 1024 * 1024, 20),
    traffic_allowance,
    price,
    location_ids,
  },
  { title: 'SizeCreate', description: 'The size to create.' },
);
export type SizeCreate = Static<typeof SizeCreate>;

export const SizeUpdate = Closed(
  {
    name: Type.Optional(name),
    description,
    traffic_allowance,
    price,
    location_ids,
    deprecated: Type.Optional(
      Type.Boolean({
        description: words.deprecated,
        examples: [true],
        explain: 'Must be true or false.',
      }),
    ),
  },
  {
    title: 'SizeUpdate',
    description:
      'The fields to change. Fields that are omitted are not changed. The cores, the memory and the disk of a size never ' +
      'change, because servers have them: create another size, and deprecate this one.',
  },
);
export type SizeUpdate = Static<typeof SizeUpdate>;
