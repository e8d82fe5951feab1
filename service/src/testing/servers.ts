import { randomBytes, randomUUID } from 'node:crypto';
import type { Db } from '../db/connection.ts';
import { Project } from '../db/project.ts';
import type { ServerStatus } from '../db/schema/schema.ts';
import { insertOperation, type OperationRow } from '../operations/queries.ts';
import { insertServer } from '../servers/queries.ts';
import { setServerState } from '../servers/worker-queries.ts';
import type { Installation } from './fixtures.ts';

/** A body that creates a server. */
export const serverBody = (place: Installation, more: Record<string, unknown> = {}) => ({
  name: 'web-1.example.com',
  location_id: place.locationId,
  os_id: place.osId,
  password: 'grüße, 世界 😀',
  initialCommands: ['echo hi', ['touch', '/root/ready']] as unknown[],
  cpu: 1,
  ram: 256,
  disk: 2,
  ...more,
});

interface EnteredServer {
  status?: ServerStatus;
  hostname?: string;
  /** The kind of the operation in progress on it. */
  operation?: string;
}

/** Inserts a created server, without using the API. */
export async function enterServer(
  db: Db,
  place: Installation,
  { status = 'started', hostname = 'entered', operation }: EnteredServer = {},
): Promise<number> {
  const mac = `02${randomBytes(5).toString('hex').replaceAll(/../g, ':$&')}`;
  const size = { cpu: 1, ramMb: 256, diskGb: 2, trafficAllowance: null };
  return await db.transaction().execute(async (trx) => {
    const project = new Project(trx, place.projectId);
    const id = await insertServer(project, {
      ...place,
      ...size,
      uuid: randomUUID(),
      hostname,
      mac,
    });
    const realStatus = status === 'creating' || status === 'deleting' ? 'not_exists' : status;
    await setServerState(trx, id, { status, realStatus, installed: status !== 'creating' });
    const about = { step: 'first', message: 'Under way', deadlineSeconds: 60 };
    if (operation) {
      await insertOperation(project, { ...about, serverId: id, kind: operation });
    }
    return id;
  });
}

/** The operation in progress on a server. */
export async function operationUnderWay(db: Db, serverId: number): Promise<OperationRow> {
  return await db
    .selectFrom('operations')
    .selectAll()
    .where('server_id', '=', serverId)
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow();
}
