import { items } from '@berth/client';
import { columnsOf, referring } from '../output/columns.ts';
import type { Schemas } from '../schemas.ts';
import { changesOf, changeVerb } from '../verbs/change.ts';
import { listVerb } from '../verbs/list.ts';
import { noun } from '../verbs/noun.ts';
import { collected, defined, yesOrNo } from '../verbs/options.ts';
import { showVerb } from '../verbs/show.ts';

const columns = columnsOf<Schemas['AddressPool']>(
  {
    id: (pool) => pool.id,
    location_id: referring('location', (pool) => pool.location_id),
    cidr: (pool) => pool.cidr,
    gateway: (pool) => pool.gateway,
    nameservers: (pool) => pool.nameservers,
    first: (pool) => pool.first,
    last: (pool) => pool.last,
    enabled: (pool) => pool.enabled,
    held: (pool) => pool.held,
    reserved: (pool) => pool.reserved.map(({ ip, instance }) => `${ip}=${instance}`),
  },
  ['id', 'location_id', 'cidr', 'gateway', 'first', 'last', 'enabled', 'held'],
  ({ id }) => String(id),
);

const list = listVerb({
  summary: 'List address pools',
  columns,
  options: (command) =>
    command.option('--location <location>', 'only those of this location', collected),
  rows: (berth, { location, pageSize }) => {
    const query = defined({ limit: pageSize, location_id: location });
    return items(berth, '/v1/address-pools', { params: { query } });
  },
});

const show = showVerb({
  summary: 'Show an address pool',
  argument: '<address-pool>',
  columns,
  get: (berth, id) => berth.GET('/v1/address-pools/{id}', { params: { path: { id } } }),
});

const create = changeVerb({
  name: 'create',
  summary: 'Create an address pool',
  argument: '<cidr>',
  argumentIs: 'its network, such as 203.0.113.0/24',
  columns,
  options: (command) =>
    command
      .requiredOption('--location <location>', 'the location whose servers get its addresses')
      .requiredOption('--gateway <address>', 'the gateway of its servers')
      .option('--nameserver <address>', 'may be given several times', collected)
      .option('--first <address>', 'the first address that servers get')
      .option('--last <address>', 'the last address that servers get')
      .option('--disabled', 'servers do not get its addresses yet'),
  request: (berth, cidr, { location, gateway, nameserver, first, last, disabled }) =>
    berth.POST('/v1/address-pools', {
      body: {
        ...{ location_id: location, cidr, gateway, enabled: !disabled },
        ...defined({ nameservers: nameserver, first, last }),
      },
    }),
  sentence: ({ id, cidr }) => `Address pool ${cidr} (${id}) is created.`,
});

const update = changeVerb({
  name: 'update',
  summary: 'Change an address pool',
  argument: '<address-pool>',
  argumentIs: 'its ID',
  columns,
  options: (command) =>
    command.option('--enabled <yes|no>', 'whether new servers get its addresses', yesOrNo),
  request: (berth, id, { enabled }) =>
    berth.PATCH('/v1/address-pools/{id}', {
      params: { path: { id } },
      body: changesOf({ enabled }),
    }),
  sentence: ({ cidr, enabled }) => `Address pool ${cidr} is ${enabled ? 'enabled' : 'disabled'}.`,
});

const remove = changeVerb({
  name: 'delete',
  summary: 'Delete an address pool that no server uses',
  argument: '<address-pool>',
  argumentIs: 'its ID',
  columns,
  warning: (id) => `The address pool ${id} will be deleted.`,
  request: (berth, id) => berth.DELETE('/v1/address-pools/{id}', { params: { path: { id } } }),
  sentence: ({ cidr }) => `Address pool ${cidr} is deleted.`,
});

export const addressPool = noun('address-pool', 'Manage the addresses of servers.', [
  ...[list, show, create, update, remove],
]);
