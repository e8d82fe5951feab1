import { randomBytes, randomUUID } from 'node:crypto';
import type { ServerCreate, ServerDryRun } from '@berth/contract/servers';
import {
  type ChosenAddress,
  chooseAddresses,
  requireFreeAddresses,
} from '../../address-pools/addresses.ts';
import { holdAddresses } from '../../address-pools/queries.ts';
import type { Db, Queryable, Trx } from '../../db/connection.ts';
import type { Project } from '../../db/project.ts';
import type { Placement } from '../../db/schema/schema.ts';
import { rolledBack } from '../../db/transaction.ts';
import { noPassword } from '../../guests/login.ts';
import { requireObtainable } from '../../images/obtainable.ts';
import type { Keyring } from '../../keys/keyring.ts';
import { operationSecrets } from '../../keys/places.ts';
import { labelSetFor } from '../../labels/queries.ts';
import { unknownLocation } from '../../locations/locations.ts';
import { findLocation, type LocationState } from '../../locations/queries.ts';
import { findOperatingSystem, type OperatingSystemRow } from '../../operating-systems/queries.ts';
import { firstStep } from '../../operations/define.ts';
import { insertOperation, type OperationRow } from '../../operations/queries.ts';
import { placeServer, requireRoom } from '../../placement/placement.ts';
import { type FieldError, invalidFields, Problem } from '../../problems/problem.ts';
import { findProject, type ProjectRow } from '../../projects/queries.ts';
import { checkQuota, type Demand, noProject, requireQuota } from '../../projects/quota.ts';
import { findSize, findSizeToUse, type ShownSize } from '../../sizes/queries.ts';
import { hashGuestPassword } from '../../threads/threads.ts';
import { bootSeconds, createOperation } from '../operations/create.ts';
import { createSecrets } from '../operations/create-secrets.ts';
import { findServersNamedAlike, insertServer } from '../queries.ts';
import { beyondBounds } from './bounds.ts';
import { type ChosenLogin, findLogin } from './login.ts';
import { closed, notOffered, unusableOs } from './operating-system.ts';
import { chooseSize, notOfferedAt, type SizeRequest } from './size.ts';
import { userDataErrors } from './user-data.ts';

/** The decisions of a create, before anything is written. */
export interface CreatePlan {
  location: LocationState;
  os: OperatingSystemRow;
  amounts: Amounts;
  nodeId: number;
  placement: Placement;
  addresses: ChosenAddress[];
  login: ChosenLogin;
  /** Warnings for the customer, as sentences. */
  warnings: string[];
}

/** What a server gets, in cores, MiB and GiB, and the size that has them if the request names one. */
interface Amounts {
  cpu: number;
  ram: number;
  disk: number;
  size: ShownSize | undefined;
}

/** Undefined if the request neither names a size nor gives its parts. */
function amountsOf(
  { cpu, ram, disk }: SizeRequest,
  size: ShownSize | undefined,
): Amounts | undefined {
  if (size) return { cpu: size.cpu, ram: size.ram_mb, disk: size.disk_gb, size };
  if (cpu === undefined || ram === undefined || disk === undefined) return undefined;
  return { cpu, ram, disk, size };
}

/**
 * Chooses the node and the addresses of a server, or throws. The counted rows stay locked until the transaction ends.
 */
async function planCreate(
  trx: Trx,
  project: Project,
  body: ServerCreate,
  { location, os, login, amounts }: Place,
): Promise<CreatePlan> {
  // A delete locks the project and the node in the same order.
  const { addresses, warnings } = await chooseAddresses(trx, location.id);
  const { unique_names } = await requireQuota(trx, project.id, demandOf(amounts, addresses.length));
  if (unique_names) await requireFreeName(project, body.name);
  const wanted = { ...onNode(amounts), group: body.group ?? null };
  const { nodeId, placement } = await placeServer(trx, project, location, wanted);
  return { location, os, amounts, nodeId, placement, addresses, login, warnings };
}

type Place = Awaited<ReturnType<typeof findPlace>>;

interface PlaceOptions {
  /** Locks the size if the server is then inserted. */
  find?: typeof findSize;
  /** Errors that were found already. */
  known?: FieldError[];
  /** The project, if it was read already. */
  owner?: ProjectRow;
}

/** Reads where a server is to be, what is to be on it, and its size. Throws if that can't be, or with the known errors. */
async function findPlace(
  db: Queryable,
  project: Project,
  body: ServerCreate,
  { find = findSize, known = [], owner }: PlaceOptions = {},
) {
  const location = await findLocation(db, body.location_id);
  const os = await findOperatingSystem(db, body.os_id);
  const { errors, ...login } = await findLogin(project, body);
  const chosen = await chooseSize(db, project.id, body, { find, owner });
  const amounts = amountsOf(body, chosen.size);
  const unusable = [...unusableIds(body, location, os), ...chosen.errors, ...errors, ...known];
  if (!location || !os || !amounts || unusable.length > 0) throw invalidFields(unusable);
  if (!location.instances_known) throw notCompared(location);
  const elsewhere = [notOffered(location, os), notOfferedAt(location, amounts.size)];
  const notThere = elsewhere.filter((error) => error !== undefined);
  if (notThere.length > 0) throw invalidFields(notThere);
  const beyond = beyondBounds(amounts, location, os, amounts.size !== undefined);
  if (beyond.length > 0) throw invalidFields(beyond);
  return { location, os, login, amounts };
}

/**
 * Throws for nearly all creates that will be refused, without a lock, so that no password is hashed for them. The decision
 * is made later, in the transaction, except on the user data, which takes milliseconds to unpack. Of several errors it
 * throws the one that a dry run does.
 */
export async function refuseEarly(
  db: Db,
  project: Project,
  body: ServerCreate,
  imageServers: readonly string[],
): Promise<void> {
  const known = userDataErrors(body);
  const owner = await findProject(db, project.id);
  if (!owner) throw noProject(project.id);
  const { location, os, amounts } = await findPlace(db, project, body, { known, owner });
  // The operation checks this again, before it downloads the image.
  await requireObtainable(db, os, location.id, imageServers);
  const addresses = await requireFreeAddresses(db, location.id);
  checkQuota(owner, demandOf(amounts, addresses));
  if (owner.unique_names) await requireFreeName(project, body.name);
  await requireRoom(db, location, onNode(amounts));
}

/**
 * Throws `name_taken` if another server of the project has the name in any case. It is decided only under the lock of the
 * project, so that of two concurrent creates the second one finds the first.
 */
export async function requireFreeName(
  project: Project,
  name: string,
  besidesId?: number,
): Promise<void> {
  const other = (await findServersNamedAlike(project, name)).find(({ id }) => id !== besidesId);
  if (!other) return;
  const detail = `The server ${other.id} of this project already has the name ${other.name}, and names are unique in it. Choose another name.`;
  throw new Problem('name_taken', detail);
}

function demandOf({ cpu, ram, disk }: Amounts, addresses: number): Demand {
  return { servers: 1, cpu, ram, disk, addresses };
}

function onNode({ cpu, ram, disk }: Amounts) {
  return { cpu, ramMb: ram, diskGb: disk };
}

function unusableIds(
  body: ServerCreate,
  location: LocationState | undefined,
  os: OperatingSystemRow | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!location) errors.push(unknownLocation(body.location_id));
  else if (!location.enabled) errors.push(closed('/location_id', location.name));
  const ofOs = unusableOs(body.os_id, os);
  if (ofOs) errors.push(ofOs);
  return errors;
}

/**
 * Refuses creates after a restore: an unknown instance may use an address, which could be assigned again.
 */
function notCompared({ name }: LocationState): Problem {
  const detail =
    `${name} takes no new servers until its instances were compared with the restored database. ` +
    'Try again in a minute.';
  return new Problem('unavailable', detail, { retryAfter: 10 });
}

/** Plans a create, and rolls everything back. */
export async function dryRunCreate(
  db: Db,
  project: Project,
  body: ServerCreate,
  imageServers: readonly string[],
): Promise<ServerDryRun> {
  const known = userDataErrors(body);
  const plan = await rolledBack(db, async (trx) => {
    const within = project.in(trx);
    const place = await findPlace(trx, within, body, { known });
    await requireObtainable(trx, place.os, place.location.id, imageServers);
    return await planCreate(trx, within, body, place);
  });
  return {
    node: plan.placement.node,
    ip_addresses: plan.addresses.map(({ ip, isPrimary }) => ({ ip, is_primary: isPrimary })),
    quota: demandOf(plan.amounts, plan.addresses.length),
    warnings: [...plan.warnings, ...waits(plan.location)],
  };
}

/** A create is accepted all the same, and its response has `unavailable`. */
function waits({ name, isReachable }: LocationState): string[] {
  if (isReachable) return [];
  const minutes = bootSeconds / 60;
  return [
    `The location ${name} does not answer at the moment. The creation would wait until it does, and fail after ${minutes} minutes.`,
  ];
}

/** Seals the secrets for the operation of a server. Nothing else can open them. */
export type SealedSecrets = (serverId: number, operationId: number, login: ChosenLogin) => Buffer;

/**
 * Prepares the secrets of a create. Hashing takes milliseconds, so do it before the transaction,
 * whose locks other creates wait for. `asker` decides whose turn it is to hash.
 */
export async function sealSecrets(
  body: Pick<ServerCreate, 'password' | 'initialCommands' | 'user_data'>,
  secretKey: Keyring,
  asker: string,
): Promise<SealedSecrets> {
  const { password, initialCommands: commands, user_data: userData } = body;
  const passwordHash =
    password === undefined ? noPassword : await hashGuestPassword(password, asker);
  return (serverId, id, { keys, passwordLogin }) => {
    const authorizedKeys = keys.map(({ public_key }) => public_key);
    const login = { passwordHash, authorizedKeys, passwordLogin };
    const secrets = createSecrets({ login, commands, userData });
    return secretKey.seal(operationSecrets(serverId, id), secrets);
  };
}

/** Inserts a server and its create operation. The request must have passed `refuseEarly`. */
export async function createServer(
  trx: Trx,
  project: Project,
  body: ServerCreate,
  secrets: SealedSecrets,
): Promise<{ serverId: number; operation: OperationRow; warnings: string[] }> {
  const place = await findPlace(trx, project, body, { find: findSizeToUse });
  const plan = await planCreate(trx, project, body, place);
  const { labels = {} } = body;
  const { size, cpu, ram, disk } = plan.amounts;
  const serverId = await insertServer(project, {
    uuid: randomUUID(),
    locationId: plan.location.id,
    osId: plan.os.id,
    nodeId: plan.nodeId,
    group: body.group ?? null,
    hostname: body.name,
    login: plan.login,
    commands: body.initialCommands.length,
    mac: randomMac(),
    ...{ cpu, ramMb: ram, diskGb: disk, sizeId: size?.id ?? null },
    trafficAllowance: size?.traffic_allowance ?? plan.location.traffic_allowance,
    labels: { labels, setId: await labelSetFor(project, labels) },
    notes: body.notes,
    protection: body.protection,
  });
  await holdAddresses(trx, serverId, plan.addresses);
  const operation = await insertOperation(project, {
    ...firstStep(createOperation),
    serverId,
    state: { commands: body.initialCommands.length, is_first: true },
    placement: plan.placement,
    secrets: (id) => secrets(serverId, id, plan.login),
  });
  return { serverId, operation, warnings: plan.warnings };
}

/**
 * A locally administered unicast address (IEEE 802) with 40 random bits, which are practically
 * unique.
 */
function randomMac(): string {
  return ['02', ...randomBytes(5).toString('hex').matchAll(/../g)].join(':');
}
