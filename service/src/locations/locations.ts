import { isIP } from 'node:net';
import type { LocationUpdate } from '@berth/contract/locations';
import ipaddr from 'ipaddr.js';
import type { Trx } from '../db/connection.ts';
import { knownOperatingSystems } from '../operating-systems/queries.ts';
import { type FieldError, invalidFields, Problem } from '../problems/problem.ts';
import { modulesToLimit } from './limit-modules.ts';
import { type TrafficLimits, trafficLimitsOf } from './limit-queries.ts';
import { type LocationRow, lockLocation, type ShownLocation, updateLocation } from './queries.ts';

export function locationNotFound(id: number | string): Problem {
  return new Problem('location_not_found', `No location has the id ${id}.`);
}

/** The error for a body without `location_id`. */
export function unknownLocation(id: number): FieldError {
  const detail = `No location has the id ${id}. List the locations with GET /v1/locations.`;
  return { pointer: '/location_id', detail };
}

/** Changes the limits and policies of a location, and whether it accepts new servers. */
export async function changeLocation(
  trx: Trx,
  id: number,
  body: LocationUpdate,
): Promise<ShownLocation> {
  const now = await lockLocation(trx, id);
  if (!now) throw locationNotFound(id);
  const { cpu, ram, disk } = body.limits ?? {};
  const { overcommit } = body;
  const wanted = {
    description: body.description ?? now.description,
    enabled: body.enabled ?? now.enabled,
    traffic_allowance:
      body.traffic_allowance === undefined ? now.traffic_allowance : body.traffic_allowance,
    traffic_counted: body.traffic_counted ?? now.traffic_counted,
    traffic_policy: body.traffic_policy ?? now.traffic_policy,
    traffic_throttle:
      body.traffic_throttle === undefined ? now.traffic_throttle : body.traffic_throttle,
    os_ids: body.os_ids === undefined ? now.os_ids : body.os_ids,
    creates_per_node:
      body.creates_per_node === undefined ? now.creates_per_node : body.creates_per_node,
    allowed_destinations: body.allowed_destinations ?? now.allowed_destinations,
    smtp: body.smtp ?? now.smtp,
    adopt_from: body.adopt_from ?? now.adopt_from,
    overcommit_cpu: overcommit?.cpu ?? now.overcommit_cpu,
    overcommit_ram: overcommit?.ram ?? now.overcommit_ram,
    overcommit_disk: overcommit?.disk ?? now.overcommit_disk,
    min_cpu: cpu?.min ?? now.min_cpu,
    max_cpu: cpu?.max ?? now.max_cpu,
    min_ram_mb: ram?.min ?? now.min_ram_mb,
    max_ram_mb: ram?.max ?? now.max_ram_mb,
    min_disk_gb: disk?.min ?? now.min_disk_gb,
    max_disk_gb: disk?.max ?? now.max_disk_gb,
  };
  const errors = [
    ...turnedRound('cpu', wanted.min_cpu, wanted.max_cpu),
    ...turnedRound('ram', wanted.min_ram_mb, wanted.max_ram_mb),
    ...turnedRound('disk', wanted.min_disk_gb, wanted.max_disk_gb),
    ...withoutThrottle(wanted),
    ...unthrottled(now, wanted),
    ...(body.traffic_policy === 'throttle' ? await unenforced(trx, id, wanted) : []),
    ...networkErrors(body.allowed_destinations ?? []),
    ...(await unknownSystems(trx, body.os_ids ?? [])),
    ...ownProject(now, body.adopt_from ?? []),
  ];
  if (errors.length > 0) throw invalidFields(errors);
  return await updateLocation(trx, id, wanted);
}

/** The instances of its own project are listed anyway. */
function ownProject({ incus_project }: LocationRow, adoptFrom: string[]): FieldError[] {
  const at = adoptFrom.indexOf(incus_project);
  if (at < 0) return [];
  const detail =
    `${incus_project} is the Incus project of this location. Its instances are listed with GET ` +
    '/v1/drift?kind=unknown_instance.';
  return [{ pointer: `/adopt_from/${at}`, detail }];
}

function withoutThrottle(
  wanted: Pick<ShownLocation, 'traffic_policy' | 'traffic_throttle'>,
): FieldError[] {
  if (wanted.traffic_policy !== 'throttle' || wanted.traffic_throttle !== null) return [];
  const detail = 'The policy "throttle" needs a rate, in Mbit/s.';
  return [{ pointer: '/traffic_throttle', detail }];
}

/** Incus 6.0 has no limits for the NICs of an OVN network (Incus documentation, "Type: nic"). */
function unthrottled(
  { network_kind }: Pick<ShownLocation, 'network_kind'>,
  { traffic_policy }: Pick<ShownLocation, 'traffic_policy'>,
): FieldError[] {
  if (traffic_policy !== 'throttle' || network_kind !== 'ovn') return [];
  const detail = 'Servers on an OVN network cannot be throttled. Choose "stop" or "none".';
  return [{ pointer: '/traffic_policy', detail }];
}

const countedDirections = {
  incoming: ['incoming'],
  outgoing: ['outgoing'],
  both: ['incoming', 'outgoing'],
} as const;

/**
 * Refuses a throttle that no node can enforce for the traffic that counts. A limit that was not tested yet may work.
 */
async function unenforced(
  trx: Trx,
  id: number,
  { traffic_counted }: Pick<ShownLocation, 'traffic_counted'>,
): Promise<FieldError[]> {
  const nodes = await trafficLimitsOf(trx, id);
  const needed = countedDirections[traffic_counted];
  const isAble = (limits: TrafficLimits) => needed.every((one) => limits[one] !== false);
  if (nodes.length === 0 || nodes.some(isAble)) return [];
  const which = traffic_counted === 'both' ? 'incoming and outgoing' : traffic_counted;
  const missing = needed.filter((one) => nodes.every((limits) => limits[one] === false));
  const modules = (missing.length > 0 ? missing : needed).map((one) => modulesToLimit[one]);
  const detail =
    `No node of this location can limit ${which} traffic: the kernels lack ${modules.join(', and ')}. ` +
    'Add these modules, choose "stop" or "none", or count only traffic that can be limited (`traffic_counted`).';
  return [{ pointer: '/traffic_policy', detail }];
}

function networkErrors(networks: readonly string[]): FieldError[] {
  return networks.flatMap((text, at) => {
    const detail = networkError(text);
    return detail === undefined ? [] : [{ pointer: `/allowed_destinations/${at}`, detail }];
  });
}

/** The error of a network. Ambiguous entries are refused. */
function networkError(text: string): string | undefined {
  const [address = '', length = ''] = text.split('/');
  const family = isIP(address);
  if (
    family === 0 ||
    length !== String(Number(length)) ||
    Number(length) > (family === 4 ? 32 : 128)
  ) {
    return 'Must be a network such as 10.20.0.0/16 or fd00:20::/48.';
  }
  const kind = family === 4 ? ipaddr.IPv4 : ipaddr.IPv6;
  const network = kind.networkAddressFromCIDR(text).toString();
  if (ipaddr.parse(address).toString() === network) return undefined;
  return `${text} is not the start of a network. Write ${network}/${length}.`;
}

async function unknownSystems(trx: Trx, ids: number[]): Promise<FieldError[]> {
  if (ids.length === 0) return [];
  const known = await knownOperatingSystems(trx, ids);
  return ids.flatMap((id, at) => {
    if (known.has(id)) return [];
    const detail = `No operating system has the id ${id}. List the operating systems with GET /v1/operating-systems.`;
    return [{ pointer: `/os_ids/${at}`, detail }];
  });
}

function turnedRound(field: string, min: number, max: number): FieldError[] {
  if (min <= max) return [];
  const detail = `The minimum, ${min}, must not be more than the maximum, ${max}.`;
  return [{ pointer: `/limits/${field}`, detail }];
}
