import { isIP } from 'node:net';
import type { AddressPoolCreate, AddressPoolUpdate } from '@berth/contract/address-pools';
import ipaddr from 'ipaddr.js';
import type { Trx } from '../db/connection.ts';
import { counted } from '../lib/counted.ts';
import { unknownLocation } from '../locations/locations.ts';
import { findLocation } from '../locations/queries.ts';
import { type FieldError, invalidFields, Problem } from '../problems/problem.ts';
import {
  deletePool,
  findPool,
  insertAdministratorsPool,
  lockPool,
  lockPoolsForAdding,
  networkOfPool,
  type PoolRow,
  type SubnetFacts,
  setPoolEnabled,
  subnetFacts,
} from './pool-queries.ts';

export function poolNotFound(id: number | string): Problem {
  return new Problem('address_pool_not_found', `No address pool has the id ${id}.`);
}

/** Adds a pool to a location. If Incus manages its network, the network must have the subnet of the pool. */
export async function createPool(trx: Trx, body: AddressPoolCreate): Promise<PoolRow> {
  const { location_id: locationId, cidr, gateway, enabled = true } = body;
  const { nameservers = [gateway] } = body;
  const malformed = [...addressErrors(body), ...(await locationErrors(trx, locationId))];
  if (malformed.length > 0) throw invalidFields(malformed);
  await lockPoolsForAdding(trx);
  const subnet = { cidr, gateway, first: body.first ?? null, last: body.last ?? null };
  const facts = await subnetFacts(trx, subnet);
  const errors = [...subnetErrors(cidr, facts), ...(await networkErrors(trx, locationId, cidr))];
  if (errors.length > 0) throw invalidFields(errors);
  if (facts.overlaps !== null) {
    const { id, cidr: other, first, last } = facts.overlaps;
    const detail = `${cidr} overlaps the pool with the id ${id}: ${other}, with the addresses ${first} to ${last}.`;
    throw new Problem('address_pool_overlaps', detail);
  }
  const { first, last } = facts;
  const pool = { locationId, cidr, gateway, nameservers, first, last, enabled };
  return await requirePool(trx, await insertAdministratorsPool(trx, pool));
}

/** Enables or disables a pool. A disabled pool drains: servers keep their addresses. */
export async function changePool(
  trx: Trx,
  id: number,
  { enabled }: AddressPoolUpdate,
): Promise<PoolRow> {
  await lockPool(trx, id);
  const { location_id, cidr } = await requirePool(trx, id);
  const errors = enabled ? await networkErrors(trx, location_id, cidr, '/enabled') : [];
  if (errors.length > 0) throw invalidFields(errors);
  if (enabled !== undefined) await setPoolEnabled(trx, id, enabled);
  return await requirePool(trx, id);
}

/** Deletes a pool, unless servers have addresses of it. */
export async function removePool(trx: Trx, id: number): Promise<PoolRow> {
  await lockPool(trx, id);
  const pool = await requirePool(trx, id);
  if (pool.held > 0) {
    const detail = `Servers have ${counted(pool.held, 'address', 'addresses')} of the pool ${pool.cidr}. Disable the pool, and delete it when these servers are gone.`;
    throw new Problem('address_pool_in_use', detail);
  }
  await deletePool(trx, id);
  return pool;
}

async function requirePool(trx: Trx, id: number): Promise<PoolRow> {
  const pool = await findPool(trx, id);
  if (!pool) throw poolNotFound(id);
  return pool;
}

async function locationErrors(trx: Trx, id: number): Promise<FieldError[]> {
  if (await findLocation(trx, id)) return [];
  return [unknownLocation(id)];
}

/**
 * The errors of a pool on a managed network: Incus assigns only addresses from the network's own
 * subnets.
 */
async function networkErrors(
  trx: Trx,
  locationId: number,
  cidr: string,
  pointer = '/cidr',
): Promise<FieldError[]> {
  const { name, kind, subnets, isWithin } = await networkOfPool(trx, locationId, cidr);
  if (kind === 'unmanaged' || subnets === null || isWithin) return [];
  if (subnets.length > 0) {
    const detail = `The pool must lie within the subnet of the network ${name}: ${subnets.join(' or ')}.`;
    return [{ pointer, detail }];
  }
  // The filters of a NIC on a bridge let any address through; OVN has none.
  if (kind === 'bridge') return [];
  const family = cidr.includes(':') ? 'IPv6' : 'IPv4';
  return [{ pointer, detail: `The network ${name} has no ${family} subnet.` }];
}

/**
 * Special-purpose addresses at which no host can be reached (RFC 6890), and IPv4-mapped ones, which
 * belong into an IPv4 pool.
 */
const notForServers = new Set<string>([
  'broadcast',
  'ipv4Mapped',
  'linkLocal',
  'loopback',
  'multicast',
  'unspecified',
]);

function addressErrors(body: AddressPoolCreate): FieldError[] {
  const [network = '', length] = body.cidr.split('/');
  const family = isIP(network);
  if (
    family === 0 ||
    length !== String(Number(length)) ||
    Number(length) > (family === 4 ? 30 : 126)
  ) {
    return [{ pointer: '/cidr', detail: 'Must be a subnet, such as 203.0.113.0/24.' }];
  }
  if (notForServers.has(ipaddr.parse(network).range())) {
    return [{ pointer: '/cidr', detail: 'No server can have an address of this subnet.' }];
  }
  const errors = (['gateway', 'first', 'last'] as const).flatMap((field) => {
    const value = body[field];
    if (value === undefined || isIP(value) === family) return [];
    return [{ pointer: `/${field}`, detail: `Must be an IPv${family} address of ${body.cidr}.` }];
  });
  const servers = (body.nameservers ?? []).flatMap((value, index) =>
    isIP(value) === 0
      ? [{ pointer: `/nameservers/${index}`, detail: 'Must be an IP address.' }]
      : [],
  );
  return [...errors, ...servers];
}

function subnetErrors(cidr: string, facts: SubnetFacts): FieldError[] {
  const outside = `Must lie within ${facts.network}.`;
  const faults: [boolean, string, string][] = [
    [
      facts.network !== cidr.toLowerCase(),
      '/cidr',
      `${cidr} is not the start of a subnet. Write ${facts.network}.`,
    ],
    [!facts.gatewayIsWithin, '/gateway', outside],
    [!facts.firstIsWithin, '/first', outside],
    [!facts.lastIsWithin, '/last', outside],
    [!facts.isInOrder, '/last', `Must not come before ${facts.first}.`],
  ];
  return faults.flatMap(([isSo, pointer, detail]) => (isSo ? [{ pointer, detail }] : []));
}
