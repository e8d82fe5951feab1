import { randomUUID } from 'node:crypto';
import { type DriftAdopt, mostOfServer } from '@berth/contract/drift';
import { type ChosenAddress, chooseAddresses, keepAddresses } from '../address-pools/addresses.ts';
import { holdAddresses, lockPools } from '../address-pools/queries.ts';
import type { Trx } from '../db/connection.ts';
import type { Project } from '../db/project.ts';
import { requireLocation } from '../locations/queries.ts';
import { findOperatingSystem } from '../operating-systems/queries.ts';
import { firstStep } from '../operations/define.ts';
import { insertOperation, type OperationRow } from '../operations/queries.ts';
import { type FieldError, invalidFields, Problem } from '../problems/problem.ts';
import { requireQuota } from '../projects/quota.ts';
import { isUuid } from '../requests/path-id.ts';
import { requireFreeName } from '../servers/creation/create.ts';
import type { InstanceFacts } from '../servers/engine/facts.ts';
import { adoptOperation } from '../servers/operations/adopt.ts';
import type { AdoptRequest } from '../servers/operations/adoption/state.ts';
import { insertServer } from '../servers/queries.ts';
import { requireDrift } from './drift.ts';
import { endDrift, freeMac, type ShownDrift } from './queries.ts';

/** Cores, MiB and GiB. */
interface Size {
  cpu: number;
  ramMb: number;
  diskGb: number;
}

/**
 * Makes a server of an unknown or a foreign instance, in a project: inserts it with the addresses that the instance has, and enters the
 * operation that makes the instance its own. Throws 404, 422, `drift_not_adoptable`, `name_taken` and `no_address_left`
 * (409), and `quota_exceeded` (403). The limits of the location and the room on the node do not count, because the instance
 * is there already.
 */
export async function adoptInstance(
  trx: Trx,
  project: Project,
  id: number,
  body: DriftAdopt,
): Promise<{ serverId: number; operation: OperationRow; drift: ShownDrift }> {
  const { location_id: locationId } = await requireDrift(trx, id);
  // The first lock, as in the removal of a location. The record is read again: another request may have adopted it.
  await lockPools(trx, locationId);
  const drift = await requireDrift(trx, id);
  const { facts, mac, nodeId } = adoptableOf(drift);
  const { instance, incus_project: incusProject } = drift;
  const errors = await osErrors(trx, body.os_id);
  const size = sizeOf(body, facts, errors);
  const hostname = body.name ?? instance;
  if (isUuid(hostname)) errors.push({ pointer: '/name', detail: calledLikeId });
  if (errors.length > 0) throw invalidFields(errors);
  const { addresses, lost } = await addressesFor(trx, drift, facts);
  const { cpu, ramMb: ram, diskGb: disk } = size;
  const demand = { servers: 1, cpu, ram, disk, addresses: addresses.length };
  const { unique_names } = await requireQuota(trx, project.id, demand);
  if (unique_names) await requireFreeName(project, hostname);
  const other = await freeMac(trx, mac);
  if (other !== undefined)
    throw notAdoptable(`The server ${other} has the same MAC address, ${mac}. Change it in Incus.`);
  const { traffic_allowance: trafficAllowance } = await requireLocation(trx, locationId);
  const serverId = await insertServer(project, {
    ...{ uuid: randomUUID(), locationId, osId: body.os_id, nodeId, hostname, mac, ...size },
    trafficAllowance,
  });
  await holdAddresses(trx, serverId, addresses);
  const state: AdoptRequest = {
    ...{ instance, lost },
    ...(incusProject !== null && { project: incusProject }),
  };
  const operation = await insertOperation(project, {
    ...firstStep(adoptOperation),
    ...{ serverId, state: { ...state } },
  });
  await endDrift(trx, id);
  return { serverId, operation, drift };
}

/** What must be known of an instance that is adopted. Throws if it can't be. */
function adoptableOf({ kind, facts, node_id: nodeId }: ShownDrift) {
  if (kind === 'missing_instance') throw notAdoptable(notThere);
  if (!facts)
    throw notAdoptable('Only an instance without a server can be adopted. Repair or forget it.');
  if (facts.obstacles.length > 0) throw notAdoptable(facts.obstacles.join(' '));
  const { mac } = facts;
  if (mac === null || nodeId === null) throw notAdoptable(notReadYet);
  return { facts, mac, nodeId };
}

/** Incus allows such names, other than those of only digits. Requests could not refer to the server by it. */
const calledLikeId =
  'Is required, because the name of the instance has the form of a UUID, which is read as an ID.';

const notAdoptable = (detail: string) => new Problem('drift_not_adoptable', detail);

const notThere =
  'Only an instance without a server can be adopted, and this one no longer exists. Rebuild its server, which creates it ' +
  'again without its data, or delete the server.';

const notReadYet = 'What the instance has is not known yet. Try again in a minute.';

/** Also one that is disabled, because it is installed already. */
async function osErrors(trx: Trx, id: number): Promise<FieldError[]> {
  const os = await findOperatingSystem(trx, id);
  if (os?.type === 'container') return [];
  const detail = os
    ? `${os.name} ${os.version} is one for virtual machines, and the instance is a container.`
    : `No operating system has the id ${id}. List the operating systems with GET /v1/operating-systems.`;
  return [{ pointer: '/os_id', detail }];
}

const amounts = { cpu: 'its cores', ram: 'its memory', disk: 'its disk' } as const;

/** The size that a request asks for, or else that of the instance. Adds what is missing to `errors`. */
function sizeOf(body: DriftAdopt, facts: InstanceFacts, errors: FieldError[]): Size {
  const found = { cpu: facts.cpu, ram: facts.ramMb, disk: facts.diskGb };
  const amountOf = (name: keyof typeof amounts) => {
    const amount = body[name] ?? found[name];
    if (amount !== null && amount <= mostOfServer[name]) return amount;
    const detail =
      amount === null
        ? `Is required, because the instance has no limit of ${amounts[name]} in Incus.`
        : `Must be given, and at most ${mostOfServer[name]}. The instance has ${amount} in Incus.`;
    errors.push({ pointer: `/${name}`, detail });
    return 0;
  };
  const size = { cpu: amountOf('cpu'), ramMb: amountOf('ram'), diskGb: amountOf('disk') };
  if (facts.diskGb !== null && size.diskGb > 0 && size.diskGb < facts.diskGb) {
    const detail = `Must be at least ${facts.diskGb}, the size of its disk, which can't shrink.`;
    errors.push({ pointer: '/disk', detail });
  }
  return size;
}

/** The addresses that the instance has, or new ones for one that has none. */
async function addressesFor(
  trx: Trx,
  { instance, incus_project, location_id: locationId }: ShownDrift,
  { addresses: ips }: InstanceFacts,
): Promise<{ addresses: ChosenAddress[]; lost: string[] }> {
  if (ips.length === 0) {
    const { addresses } = await chooseAddresses(trx, locationId);
    return { addresses, lost: [] };
  }
  // Only those of the project of the location have reserved their addresses.
  const holder = incus_project === null ? instance : null;
  const { addresses, lost, taken } = await keepAddresses(trx, locationId, { holder, ips });
  if (taken) {
    const wayOut = 'Give one of them another address, and try again in a minute.';
    throw notAdoptable(`${taken.holder} has its address ${taken.ip}. ${wayOut}`);
  }
  if (addresses.length > 0) return { addresses, lost };
  const all = ips.join(', ');
  throw notAdoptable(
    `No address pool of the location has its addresses: ${all}. Add an address pool, or change its addresses.`,
  );
}
