import { items } from '@berth/client';
import { columnsOf } from '../output/columns.ts';
import { colouredStatus } from '../output/style.ts';
import { bytes, gib, mib } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';
import { changesOf, changeVerb } from '../verbs/change.ts';
import { listVerb } from '../verbs/list.ts';
import { noun } from '../verbs/noun.ts';
import {
  byteCount,
  choice,
  collected,
  decimal,
  defined,
  diskSize,
  limitOrNone,
  memory,
  whole,
  yesOrNo,
} from '../verbs/options.ts';
import { showVerb } from '../verbs/show.ts';

type Location = Schemas['Location'];
type Part = 'cpu' | 'ram' | 'disk';

const limit = (part: Part, shown: (size: number) => string) => ({
  of: ({ limits }: Location) => `${limits[part].min}-${limits[part].max}`,
  text: ({ limits }: Location) => `${shown(limits[part].min)} to ${shown(limits[part].max)}`,
});
const overcommit = (part: Part) => (location: Location) => location.overcommit[part];

const columns = columnsOf<Location>(
  {
    id: (location) => location.id,
    name: (location) => location.name,
    description: (location) => location.description,
    enabled: (location) => location.enabled,
    reachable: (location) => location.reachable,
    unreachable_reason: (location) => location.unreachable_reason,
    cpu: limit('cpu', String),
    ram: limit('ram', mib),
    disk: limit('disk', gib),
    ...{ overcommit_cpu: overcommit('cpu'), overcommit_ram: overcommit('ram') },
    overcommit_disk: overcommit('disk'),
    os_ids: {
      of: ({ os_ids }) => os_ids?.map(String) ?? null,
      text: () => 'all',
      refersTo: 'os',
    },
    creates_per_node: (location) => location.creates_per_node,
    traffic_allowance: {
      of: (location) => location.traffic_allowance,
      text: ({ traffic_allowance: size }) => (size === null ? 'none' : bytes(size)),
    },
    traffic_counted: (location) => location.traffic_counted,
    traffic_policy: (location) => location.traffic_policy,
    traffic_throttle: (location) => location.traffic_throttle,
    allowed_destinations: (location) => location.allowed_destinations,
    smtp: (location) => location.smtp,
    drift: (location) => location.drift,
    adopt_from: (location) => location.adopt_from,
    network_policy: {
      of: ({ network_policy }) => network_policy.status,
      text: ({ network_policy: { status, reason } }, style) =>
        [colouredStatus(status, style), reason].filter(Boolean).join(': '),
    },
  },
  ['id', 'name', 'description', 'enabled', 'reachable', 'cpu', 'ram', 'disk'],
  ({ name }) => name,
);

const list = listVerb({
  summary: 'List locations',
  columns,
  options: (command) =>
    command
      .option('--search <text>', 'only those whose name begins with this text')
      .option('--enabled <yes|no>', 'only those where servers can be created, or not', yesOrNo),
  rows: (berth, { search, enabled, pageSize }) => {
    const query = defined({ limit: pageSize, q: search, enabled });
    return items(berth, '/v1/locations', { params: { query } });
  },
});

const show = showVerb({
  summary: 'Show a location',
  argument: '<location>',
  columns,
  get: (berth, id) => berth.GET('/v1/locations/{id}', { params: { path: { id } } }),
});

const update = changeVerb({
  name: 'update',
  summary: 'Change a location',
  about: 'Only administrators can change locations.',
  argument: '<location>',
  columns,
  options: (command) =>
    command
      .option('--description <text>', 'for people')
      .option('--enabled <yes|no>', 'whether servers can be created there', yesOrNo)
      .option('--max-cpu <cores>', 'the most CPU cores of a server', whole)
      .option('--max-ram <amount>', 'the most memory of a server: 8G', memory)
      .option('--max-disk <amount>', 'the largest disk of a server: 500G or 1T', diskSize)
      .option('--overcommit-cpu <ratio>', 'how often a core is allocated', decimal)
      .option('--overcommit-ram <ratio>', 'how often memory is allocated', decimal)
      .option('--overcommit-disk <ratio>', 'how often disk space is allocated', decimal)
      .option('--os <os>', 'only these operating systems; may be given several times', collected)
      .option('--all-os', 'all operating systems')
      .option('--creates-per-node <number>', 'creates at once on a node, or none', limitOrNone)
      .option('--traffic-allowance <amount>', 'of new servers, per month: 2T or none', byteCount)
      .addOption(
        choice('--traffic-counted <direction>', 'which traffic counts', [
          ...(['outgoing', 'incoming', 'both'] as const),
        ]),
      )
      .addOption(
        choice('--traffic-policy <policy>', 'what happens beyond the allowance', [
          ...(['none', 'throttle', 'stop'] as const),
        ]),
      )
      .option('--traffic-throttle <rate>', 'the rate in Mbit/s, or none', limitOrNone)
      .option('--allow-destination <network>', 'may be given several times', collected)
      .addOption(choice('--smtp <state>', 'port 25 of others', ['blocked', 'open'] as const))
      .option(
        '--adopt-from <project>',
        'another Incus project with instances to adopt; may be given several times',
        collected,
      )
      .option('--adopt-from-none', 'no other Incus project'),
  request: (berth, id, options) => {
    const max = (value: number | undefined) => (value === undefined ? undefined : { max: value });
    const some = <T extends object>(values: T) =>
      Object.values(values).every((value) => value === undefined) ? undefined : defined(values);
    const body = changesOf({
      description: options.description,
      enabled: options.enabled,
      limits: some({
        ...{ cpu: max(options.maxCpu), ram: max(options.maxRam), disk: max(options.maxDisk) },
      }),
      overcommit: some({
        ...{ cpu: options.overcommitCpu, ram: options.overcommitRam },
        disk: options.overcommitDisk,
      }),
      os_ids: options.allOs ? null : options.os,
      creates_per_node: options.createsPerNode,
      traffic_allowance: options.trafficAllowance,
      traffic_counted: options.trafficCounted,
      traffic_policy: options.trafficPolicy,
      traffic_throttle: options.trafficThrottle,
      allowed_destinations: options.allowDestination,
      smtp: options.smtp,
      adopt_from: options.adoptFromNone ? [] : options.adoptFrom,
    });
    return berth.PATCH('/v1/locations/{id}', {
      params: { path: { id } },
      body: body as Schemas['LocationUpdate'],
    });
  },
  sentence: ({ name }) => `Location ${name} is changed.`,
});

export const location = noun('location', 'See where servers run, and how large they can be.', [
  ...[list, show, update],
]);
