import { columnsOf } from '../output/columns.ts';
import { bytes, moment } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';
import { changeVerb } from '../verbs/change.ts';
import { byteCount } from '../verbs/options.ts';
import { showVerb } from '../verbs/show.ts';

type Traffic = Schemas['ServerTraffic'];

const trafficColumns = columnsOf<Traffic>(
  {
    month: (traffic) => traffic.month,
    incoming: {
      of: (traffic) => traffic.incoming.value,
      text: ({ incoming }) => `${bytes(incoming.value)} (${bytes(incoming.prev)} last month)`,
    },
    outgoing: {
      of: (traffic) => traffic.outgoing.value,
      text: ({ outgoing }) => `${bytes(outgoing.value)} (${bytes(outgoing.prev)} last month)`,
    },
    allowance: {
      of: (traffic) => traffic.allowance,
      text: ({ allowance }) => (allowance === null ? 'none' : bytes(allowance)),
    },
    counted: (traffic) => traffic.counted,
    used: { of: (traffic) => traffic.used, text: ({ used }) => bytes(used) },
    is_exceeded: (traffic) => traffic.is_exceeded,
    policy: (traffic) => traffic.policy,
    throttled_to: {
      of: (traffic) => traffic.throttled_to,
      text: ({ throttled_to: rate }) => (rate === null ? '-' : `${rate} Mbit/s`),
    },
    throttle_error: (traffic) => traffic.throttle_error,
    read_at: { of: (traffic) => traffic.read_at, text: ({ read_at }) => moment(read_at) },
  },
  ['month', 'incoming', 'outgoing', 'allowance', 'used'],
  ({ month }) => month,
);

export const traffic = showVerb({
  name: 'traffic',
  summary: 'Show the traffic of a server',
  argument: '<server>',
  columns: trafficColumns,
  get: (berth, id) => berth.GET('/v1/servers/{id}/traffic', { params: { path: { id } } }),
});

export const setTraffic = changeVerb({
  name: 'set-traffic',
  summary: 'Change the traffic allowance of a server',
  about: 'Only administrators can change it.',
  argument: '<server>',
  columns: trafficColumns,
  options: (command) =>
    command.requiredOption('--allowance <amount>', 'per month: 500G, 2T or none', byteCount),
  request: (berth, id, { allowance }) =>
    berth.PATCH('/v1/servers/{id}/traffic', { params: { path: { id } }, body: { allowance } }),
  sentence: ({ allowance }, name) =>
    allowance === null
      ? `${name} has no limit of traffic.`
      : `${name} may transfer ${bytes(allowance)} a month.`,
});
