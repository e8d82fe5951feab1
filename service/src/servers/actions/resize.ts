import { ServerResize } from '@berth/contract/servers';
import { difference } from '../../audit/details.ts';
import type { Trx } from '../../db/connection.ts';
import type { Placement } from '../../db/schema/schema.ts';
import { findLocation, requireLocation } from '../../locations/queries.ts';
import { nodeById } from '../../nodes/queries.ts';
import { findOperatingSystem } from '../../operating-systems/queries.ts';
import { growOnNode, noRoomToGrow, placeServer } from '../../placement/placement.ts';
import { type FieldError, invalidFields, Problem } from '../../problems/problem.ts';
import { requireQuota } from '../../projects/quota.ts';
import { findSize, findSizeToUse, type ShownSize } from '../../sizes/queries.ts';
import { beyondBounds, type Parts } from '../creation/bounds.ts';
import { chooseSize, notOfferedAt } from '../creation/size.ts';
import type { Sizes } from '../engine/size.ts';
import type { MoveRequest } from '../operations/move.ts';
import { type ResizeRequest, resizeOperation } from '../operations/resize.ts';
import { heldSize, type ServerRow, type ServerSize, setResizing } from '../queries.ts';
import { requireMember } from './move.ts';
import { defineServerAction, type Place } from './rules/define.ts';
import { requireInService } from './rules/in-service.ts';
import { currentStateHint } from './rules/not-in-state.ts';
import { requireTraffic } from './rules/traffic.ts';

/**
 * From the request on, its project and its node hold the larger of both sizes, so that neither a success nor a failure
 * can exceed them.
 */
export const resizeAction = defineServerAction({
  name: 'resize',
  operation: resizeOperation,
  summary: 'Resize a server',
  description:
    'Changes the cores, the memory and the disk of a server, to those of a size of `GET /v1/sizes` or to others. They ' +
    'change at once, also while it runs. A disk can only grow. Memory can be reduced to more than what the server has in ' +
    'use; otherwise the operation fails with `memory_in_use`. If the node of the server has no room for the new size, the ' +
    'request is refused, or, with `allow_move`, the server moves to another node: a running server is shut down for that, ' +
    'by cutting its power if its guest does not shut down in time, and is started there. If the operation fails, its ' +
    'message says what the server has. Once the server has another `size`, or none, it has the traffic allowance of a new ' +
    'server. The request is refused with `traffic_exceeded` if the server runs, has used up its traffic allowance, and the ' +
    '`traffic_policy` of its location is `stop`.',
  accepted: 'The server is being resized.',
  body: ServerResize,
  problems: [
    'no_capacity',
    'node_offline',
    'quota_exceeded',
    'server_not_resizable',
    'traffic_exceeded',
  ],
  read: ({ body }): ServerResize => body ?? {},
  details: ({ allow_move, keep_disk, size = null, ...parts }, server) => ({
    ...difference(shownSize(server), { ...shownSize(server), size, ...parts }),
    ...(keep_disk !== undefined && { keep_disk }),
    ...(allow_move !== undefined && { allow_move }),
  }),
  from: ['started', 'stopped'],
  isPossible: ({ run }, status) => run || status !== 'started',
  refuse: (server) =>
    new Problem(
      'server_not_resizable',
      `Only a server that is started or stopped can be resized; ${currentStateHint(server)}`,
    ),
  async check({ trx, project }, server, wanted) {
    const { size, errors } = await chooseSize(trx, project.id, wanted, {
      find: findSizeToUse,
      ownId: server.size_id,
    });
    const parts = partsOf(server, wanted, size);
    const others = [
      ...keptWithoutSize(wanted),
      ...shrunk(server, parts, size),
      ...(await unavailable(trx, server, parts, size)),
    ];
    if (errors.length + others.length > 0) throw invalidFields([...errors, ...others]);
    requireInService(await nodeById(trx, server.node_id), 'resized');
    requirePlace(server);
    // Otherwise a client could put off the stop of a server by requesting resizes.
    if (server.status === 'started') await requireTraffic(project, server, untilStopped);
  },
  async begin({ trx, project }, server, { allow_move: allowMove = false, ...wanted }) {
    const size = wanted.size === undefined ? undefined : await findSize(trx, wanted.size);
    const sizes = sizesOf(server, partsOf(server, wanted, size));
    const growth = growthOf(server, sizes);
    const { cpu, ramMb: ram, diskGb: disk } = growth.more;
    await requireQuota(trx, project.id, { servers: 0, cpu, ram, disk, addresses: 0 });
    const move = await makeRoom({ trx, project }, server, growth, allowMove);
    const reserved = { ...sizes.wanted, sizeId: size?.id ?? null };
    await setResizing(project, server.id, reserved, move?.to.id);
    const isUnsettled = server.resizing_cpu !== null;
    const state: ResizeRequest = {
      ...{ sizes, ...(isUnsettled && { isUnsettled }) },
      ...(move
        ? { moves: true, from: move.from, to: move.to, evacuates: false }
        : { moves: false }),
    };
    return { state: { ...state }, ...(move && { placement: move.placement }) };
  },
});

type Wanted = Omit<ServerResize, 'allow_move'>;

/** The fields of the request as the server has them; of its size, the id. */
const shownSize = ({ size_id: size, cpu, ram_mb: ram, disk_gb: disk }: ServerRow) => {
  return { size, cpu, ram, disk };
};

const untilStopped =
  'Berth is about to stop the server. A stopped server can be resized, and one that may run again.';

/** Throws while it was not yet seen where a server is after a move that failed: two nodes hold its size. */
function requirePlace({ moving_to: unsettled }: ServerRow): void {
  if (unsettled === null) return;
  const detail = 'Its last move failed, and Berth is finding out on which node the server is.';
  throw new Problem('unavailable', detail, { retryAfter: 2 });
}

/** What the server is to have; what is undefined stays as it is. */
function partsOf(server: ServerRow, wanted: Wanted, size: ShownSize | undefined): Parts {
  if (!size) return { cpu: wanted.cpu, ram: wanted.ram, disk: wanted.disk };
  const disk = wanted.keep_disk ? Math.min(server.disk_gb, size.disk_gb) : size.disk_gb;
  // The disk can be larger than that of its size after a resize that failed.
  const least = size.id === server.size_id ? server.disk_gb : 0;
  return { cpu: size.cpu, ram: size.ram_mb, disk: Math.max(disk, least) };
}

function keptWithoutSize({ size, keep_disk: keeps }: Wanted): FieldError[] {
  if (!keeps || size !== undefined) return [];
  const detail = 'Requires `size`. A disk stays as it is if `disk` is omitted.';
  return [{ pointer: '/keep_disk', detail }];
}

function shrunk(
  { disk_gb: now }: ServerRow,
  { disk = now }: Parts,
  size: ShownSize | undefined,
): FieldError[] {
  if (disk >= now) return [];
  const why =
    "a disk can't shrink, since what is on it might not fit. Create a smaller server, and copy its data.";
  if (!size) {
    const detail = `Must be at least ${now} GiB, which the server has: ${why}`;
    return [{ pointer: '/disk', detail }];
  }
  const detail = `The size ${size.name} has ${disk} GiB of disk, and the server has ${now} GiB: ${why}`;
  return [{ pointer: '/size', detail }];
}

/** The errors of what the location does not offer. What stays as it is may be beyond limits that were changed. */
async function unavailable(
  trx: Trx,
  server: ServerRow,
  { cpu, ram, disk }: Parts,
  size: ShownSize | undefined,
): Promise<FieldError[]> {
  const changed = {
    ...(cpu !== server.cpu && { cpu }),
    ...(ram !== server.ram_mb && { ram }),
    // A smaller one has an error of its own.
    ...((disk ?? 0) > server.disk_gb && { disk }),
  };
  const location = await findLocation(trx, server.location_id);
  const os = await findOperatingSystem(trx, server.os_id);
  if (!location || !os) return [];
  const elsewhere = size?.id === server.size_id ? undefined : notOfferedAt(location, size);
  if (elsewhere) return [elsewhere];
  return beyondBounds(changed, location, os, size !== undefined);
}

function sizesOf(server: ServerRow, { cpu, ram, disk }: Parts): Sizes {
  const before = { cpu: server.cpu, ramMb: server.ram_mb, diskGb: server.disk_gb };
  const wanted = {
    cpu: cpu ?? before.cpu,
    ramMb: ram ?? before.ramMb,
    diskGb: disk ?? before.diskGb,
  };
  return { before, wanted };
}

interface Growth {
  /** The larger of both sizes. */
  size: ServerSize;
  /** What it has more of each resource than is held for the server already; otherwise 0. */
  more: ServerSize;
}

function growthOf(server: ServerRow, { before, wanted }: Sizes): Growth {
  const held = heldSize(server);
  const each = (of: (resource: keyof ServerSize) => number): ServerSize => {
    return { cpu: of('cpu'), ramMb: of('ramMb'), diskGb: of('diskGb') };
  };
  const size = each((resource) => Math.max(before[resource], wanted[resource]));
  return { size, more: each((resource) => Math.max(0, size[resource] - held[resource])) };
}

interface Moving extends Pick<MoveRequest, 'from' | 'to'> {
  placement: Placement;
}

/** Locks a node that has room for the larger of both sizes. Undefined if it is the node of the server. */
async function makeRoom(
  { trx, project }: Place,
  server: ServerRow,
  { size, more }: Growth,
  allowMove: boolean,
): Promise<Moving | undefined> {
  if (more.cpu + more.ramMb + more.diskGb === 0) return undefined;
  const location = await requireLocation(trx, server.location_id);
  const lack = await growOnNode(trx, location, server.node_id, { size, more });
  if (lack === undefined) return undefined;
  const from = await nodeById(trx, server.node_id);
  if (from.member === null) throw noRoomToGrow(from.name, lack, 'Ask for less.');
  if (!allowMove) throw noRoomToGrow(from.name, lack, orMove);
  const wanted = { ...size, group: server.group_name, currentNodeId: from.id };
  const { nodeId, placement } = await placeServer(trx, project, location, wanted);
  const to = requireMember(await nodeById(trx, nodeId));
  return { from: { id: from.id, name: from.name }, to, placement };
}

const orMove =
  'Ask for less, or set allow_move: the server then moves to a node that has room, and is shut down for that if it runs.';
