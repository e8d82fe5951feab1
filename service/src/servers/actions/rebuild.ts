import { ServerRebuild } from '@berth/contract/servers';
import { difference } from '../../audit/details.ts';
import type { Trx } from '../../db/connection.ts';
import { requireLocation } from '../../locations/queries.ts';
import { nodeById } from '../../nodes/queries.ts';
import { findOperatingSystem, type OperatingSystemRow } from '../../operating-systems/queries.ts';
import { wipeSecrets } from '../../operations/queries.ts';
import { placeServer } from '../../placement/placement.ts';
import { type FieldError, invalidFields } from '../../problems/problem.ts';
import { sealSecrets } from '../creation/create.ts';
import { findLogin, requireLogin, wayInErrors } from '../creation/login.ts';
import { notOffered, unusableOs } from '../creation/operating-system.ts';
import { userDataErrors } from '../creation/user-data.ts';
import { createOperation } from '../operations/create.ts';
import { beforeRebuild, endResizing, type ServerRow, setRebuilding } from '../queries.ts';
import { defineServerAction, type Place } from './rules/define.ts';
import { requireInService } from './rules/in-service.ts';
import { requireUnprotected } from './rules/protection.ts';
import { refusedForTraffic, requireTraffic } from './rules/traffic.ts';

/** A create with the addresses and the size of the server, which removes its instance when the image is there. */
export const rebuildAction = defineServerAction({
  name: 'rebuild',
  operation: createOperation,
  summary: 'Rebuild a server',
  description:
    'Creates a server again from the image of its operating system, or of another one, with the same ID, UUID, IP ' +
    'addresses and size. **Everything on its disk is lost**, which the request has to confirm with `erase`. The power of ' +
    'a running server is cut. The password, the SSH keys, the user data and the initial commands are those of the request, ' +
    'and the server gets new host keys. If the operation fails before it erases the disk, such as because the image cannot be downloaded, ' +
    'the server stays as it was. If it fails later, it can be retried for 24 hours. A server whose node was declared lost ' +
    'is rebuilt on another node, and needs no `erase`. It is refused with `protected` if `protection.rebuild` of the ' +
    `server is \`true\`. ${refusedForTraffic}`,
  accepted: 'The server is being rebuilt.',
  body: ServerRebuild,
  problems: ['no_capacity', 'node_offline', 'protected', 'traffic_exceeded'],
  async read({ body, caller, refuseEarly }, { secretKey }) {
    const errors = [...wayInErrors(body), ...userDataErrors(body)];
    if (errors.length > 0) throw invalidFields(errors);
    await refuseEarly?.();
    // Hashing takes milliseconds, so it is done before the transaction, which holds locks.
    const secrets = await sealSecrets(body, secretKey, `project:${caller.project.id}`);
    return { secrets, body, commands: body.initialCommands.length };
  },
  details: ({ body }, { os_id }) => difference({ os_id }, { os_id: body.os_id ?? os_id }),
  from: ['started', 'stopped', 'paused', 'error'],
  to: 'started',
  isPossible: ({ rebuild, run, isProtected }) => (rebuild || run) && !isProtected.rebuild,
  async check({ trx, project }, server, { body }) {
    const node = await nodeById(trx, server.node_id);
    const wrongOs = await osError(trx, server, body.os_id);
    const login = await findLogin(project, body);
    const errors = [
      ...(node.lost || body.erase ? [] : [{ pointer: '/erase', detail: erases }]),
      ...(wrongOs ? [wrongOs] : []),
      ...login.errors,
    ];
    if (errors.length > 0) throw invalidFields(errors);
    requireUnprotected(server, 'rebuild');
    if (node.lost) return;
    // Nothing is erased on a node where the server could not be created again.
    requireInService(node, 'rebuilt');
    await requireTraffic(project, server);
  },
  async begin({ trx, project }, server, { secrets, body, commands }) {
    const login = await requireLogin(project, body);
    const { lost } = await nodeById(trx, server.node_id);
    // A resize that was superseded by a delete, which then failed, has left it.
    if (server.resizing_cpu !== null) await endResizing(project, server.id);
    const placed = lost ? await placeAnew({ trx, project }, server) : undefined;
    const nodeId = placed?.nodeId;
    await setRebuilding(project, server.id, {
      ...(nodeId !== undefined && { nodeId }),
      ...{ osId: body.os_id ?? server.os_id, commands, login },
    });
    await wipeSecrets(project, server.id);
    const isWhole = !lost && server.installed_at !== null;
    return {
      state: { commands, rebuilds: true, ...(isWhole && { before: beforeRebuild(server) }) },
      ...(placed && { placement: placed.placement }),
      secrets: (id) => secrets(server.id, id, login),
    };
  },
});

const erases =
  'Must be true, because everything on the disk of the server is lost. Save what you need, then send it.';

/** Why a server of this size can't get another operating system; its own, which is the default, it can keep. */
async function osError(
  trx: Trx,
  server: ServerRow,
  id: number | undefined,
): Promise<FieldError | undefined> {
  if (id === undefined || id === server.os_id) return undefined;
  const os = await findOperatingSystem(trx, id);
  const location = await requireLocation(trx, server.location_id);
  return unusableOs(id, os) ?? (os && (notOffered(location, os) ?? tooSmall(server, os)));
}

function tooSmall(server: ServerRow, os: OperatingSystemRow): FieldError | undefined {
  if (server.ram_mb >= os.min_ram_mb && server.disk_gb >= os.min_disk_gb) return undefined;
  const detail =
    `${os.name} ${os.version} needs at least ${os.min_ram_mb} MiB of memory and ${os.min_disk_gb} GiB of disk, and the ` +
    `server has ${server.ram_mb} MiB and ${server.disk_gb} GiB. Resize it first, or choose another operating system.`;
  return { pointer: '/os_id', detail };
}

async function placeAnew({ trx, project }: Place, server: ServerRow) {
  const location = await requireLocation(trx, server.location_id);
  const { cpu, ram_mb: ramMb, disk_gb: diskGb, group_name: group } = server;
  return await placeServer(trx, project, location, { cpu, ramMb, diskGb, group });
}
