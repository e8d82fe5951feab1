import { items } from '@berth/client';
import type { Command, OptionValues } from '@commander-js/extra-typings';
import { columnsOf } from '../output/columns.ts';
import { bytes, gib, mib, moment } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';
import { changesOf, changeVerb } from '../verbs/change.ts';
import { listVerb } from '../verbs/list.ts';
import { noun } from '../verbs/noun.ts';
import {
  byteCount,
  collected,
  defined,
  diskSize,
  memory,
  whole,
  yesOrNo,
} from '../verbs/options.ts';
import { showVerb } from '../verbs/show.ts';
import { amount, amountOrNone, changesPrice, money, priceOf } from './price.ts';

type Size = Schemas['Size'];

const price = (part: 'hourly' | 'monthly') => ({
  of: (size: Size) => size.price?.[part],
  text: ({ price: all }: Size) => (all?.[part] ? money(all[part], all.currency) : '-'),
});

const columns = columnsOf<Size>(
  {
    id: (size) => size.id,
    name: (size) => size.name,
    description: (size) => size.description,
    cpu: (size) => size.cpu,
    ram: { of: (size) => size.ram, text: ({ ram }) => mib(ram) },
    disk: { of: (size) => size.disk, text: ({ disk }) => gib(disk) },
    traffic: {
      of: (size) => size.traffic_allowance,
      text: ({ traffic_allowance: most }) => (most === null ? '-' : bytes(most)),
    },
    ...{ hourly: price('hourly'), monthly: price('monthly') },
    currency: (size) => size.price?.currency,
    location_ids: {
      of: ({ location_ids }) => location_ids?.map(String) ?? null,
      text: () => 'all',
      refersTo: 'location',
    },
    deprecated: (size) => size.deprecated,
    created_at: { of: (size) => size.created_at, text: ({ created_at }) => moment(created_at) },
  },
  [
    ...(['id', 'name', 'cpu', 'ram', 'disk', 'traffic', 'hourly', 'monthly'] as const),
    'deprecated',
  ],
  ({ name }) => name,
);

const list = listVerb({
  summary: 'List the sizes of servers, and their prices',
  columns,
  options: (command) =>
    command
      .option('--search <text>', 'only those whose name begins with this text')
      .option(
        '--location <location>',
        'only those that servers at this location can get',
        collected,
      )
      .option('--deprecated <yes|no>', 'only those that are out of use, or not', yesOrNo),
  rows: (berth, { search, location, deprecated, pageSize }) => {
    const query = defined({ limit: pageSize, q: search, location_id: location, deprecated });
    return items(berth, '/v1/sizes', { params: { query } });
  },
});

const show = showVerb({
  summary: 'Show a size',
  argument: '<size>',
  columns,
  get: (berth, id) => berth.GET('/v1/sizes/{id}', { params: { path: { id } } }),
});

/** What can be changed later as well. */
const changeable = <Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) =>
  command
    .option('--description <text>', 'for people')
    .option(
      '--traffic <amount>',
      'the traffic per month: 2T, or none for that of the location',
      byteCount,
    )
    .option('--hourly <price>', 'the price of an hour, such as 0.0074', amount)
    .option('--monthly <price>', 'the most that a server costs in a month, or none', amountOrNone)
    .option('--currency <code>', 'the currency of the price, such as EUR')
    .option(
      '--location <location>',
      'only at this location; may be given several times',
      collected,
    );

const create = changeVerb({
  name: 'create',
  summary: 'Create a size of servers',
  about: 'Only administrators can create sizes. Cores, memory and disk of a size never change.',
  argument: '<name>',
  argumentIs: 'its name, such as small',
  columns,
  options: (command) =>
    changeable(
      command
        .requiredOption('--cpu <cores>', 'the number of CPU cores', whole)
        .requiredOption('--ram <amount>', 'the memory: 2048 (MiB) or 2G', memory)
        .requiredOption('--disk <amount>', 'the disk: 20 (GiB) or 20G', diskSize),
    ),
  request: (berth, name, { cpu, ram, disk, description, traffic, location, ...prices }) =>
    berth.POST('/v1/sizes', {
      body: {
        ...{ name, cpu, ram, disk },
        ...defined({ description, traffic_allowance: traffic, location_ids: location }),
        ...defined({ price: priceOf(prices) }),
      },
    }),
  sentence: ({ id, name }) => `Size ${name} (${id}) is created.`,
});

const update = changeVerb({
  name: 'update',
  summary: 'Change a size of servers',
  about:
    'Only administrators can change sizes. A price applies from now on, also to servers that have the size.',
  argument: '<size>',
  columns,
  options: (command) =>
    changeable(command)
      .option('--name <name>', 'a new name')
      .option('--all-locations', 'at all locations')
      .option('--no-price', 'its servers cost nothing')
      .option('--deprecated <yes|no>', 'whether no server can get it any more', yesOrNo),
  request: async (berth, id, given) => {
    const { description, traffic, location, name, allLocations, deprecated } = given;
    const params = { path: { id } };
    const { price: before } = changesPrice(given)
      ? (await berth.GET('/v1/sizes/{id}', { params })).data
      : { price: null };
    const body = changesOf({
      ...{ name, description, deprecated, traffic_allowance: traffic },
      location_ids: allLocations ? null : location,
      price: given.price ? priceOf(given, before) : null,
    });
    return await berth.PATCH('/v1/sizes/{id}', { params, body });
  },
  sentence: ({ name }) => `Size ${name} is changed.`,
});

const remove = changeVerb({
  name: 'delete',
  summary: 'Delete a size that no server has',
  argument: '<size>',
  columns,
  warning: (name) => `The size ${name} will be deleted.`,
  request: (berth, id) => berth.DELETE('/v1/sizes/{id}', { params: { path: { id } } }),
  sentence: ({ name }) => `Size ${name} is deleted.`,
});

export const size = noun('size', 'See which sizes servers can have, and what they cost.', [
  ...[list, show, create, update, remove],
]);
