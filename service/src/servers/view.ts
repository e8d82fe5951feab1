import type { Server, ServerStatusRecord } from '@berth/contract/servers';
import type { ServerStatus } from '../db/schema.ts';
import { isStoppedForTraffic } from '../usage/allowance.ts';
import { usageView } from '../usage/view.ts';
import type { ServerInFull } from './queries.ts';
import { allowedActions } from './states.ts';

/** A row as the API shows it. */
export function serverView(row: ServerInFull): Server {
  return {
    id: row.id,
    hostname: row.hostname,
    uuid: row.uuid,
    status: row.status,
    node: row.node,
    os: row.os_name,
    specifications: { cpu: row.cpu, ram: row.ram_mb, disk: row.disk_gb },
    ip_addresses: row.addresses,
    usage: usageView(row),
    created_at: row.created_at,
    project_id: row.project_id,
    location_id: row.location_id,
    os_id: row.os_id,
    group: row.group_name,
    error: row.error,
    unavailable: unavailableView(row),
    allowed_actions: allowedActions(row.status, row.operation_kind, {
      retry: row.can_retry,
      rebuild: row.is_lost,
      run: !isStoppedForTraffic(row),
    }),
  };
}

const idleSentences: Record<ServerStatus, string> = {
  creating: 'The server waits to be created.',
  started: 'The server is running.',
  stopped: 'The server is stopped.',
  paused: 'The server is paused.',
  deleting: 'The server waits to be deleted.',
  error: 'The server is in error.',
};

function unavailableView(row: ServerInFull): Server['unavailable'] {
  if (row.can_be_asked) return null;
  const { node, unavailable_since: since } = row;
  if (!row.location_answers) return { reason: 'Its location does not answer.', since };
  const what = row.is_lost ? 'was declared lost' : 'does not answer';
  return { reason: `Its node ${node} ${what}.`, since };
}

const unavailable = 'Its node does not answer at the moment: this is what was last known.';

/** What `GET /v1/servers/{id}/status` answers. */
export function statusView(row: ServerInFull): ServerStatusRecord {
  const idle = [idleSentences[row.status], row.error, row.can_be_asked ? null : unavailable];
  return {
    status: row.operation_message ?? idle.filter((sentence) => sentence !== null).join(' '),
    real_status: row.can_be_asked ? row.real_status : 'unavailable',
    is_processing: row.operation_id !== null,
    progress: row.operation_progress ?? 100,
  };
}
