import type { Server, ServerStatusRecord } from '@berth/contract/servers';
import type { ServerStatus } from '../db/schema/schema.ts';
import type { LastOperation, WaitedOperation } from '../operations/queries.ts';
import { isStoppedForTraffic } from '../traffic/allowance.ts';
import { usageView } from '../usage/view.ts';
import { allowedActions } from './actions/allowed.ts';
import { failedCommandsSentence, userDataClause } from './failed-commands.ts';
import type { ServerInFull } from './queries.ts';
import { bySuspension } from './suspension-reason.ts';

/** A server as the API shows it. */
export function serverView(row: ServerInFull): Server {
  return {
    id: row.id,
    hostname: row.hostname,
    uuid: row.uuid,
    status: row.status,
    node: row.node,
    os: row.os_name,
    specifications: { cpu: row.cpu, ram: row.ram_mb, disk: row.disk_gb },
    size: row.size,
    ip_addresses: row.addresses,
    usage: usageView(row),
    created_at: row.created_at,
    project_id: row.project_id,
    location_id: row.location_id,
    os_id: row.os_id,
    size_id: row.size_id,
    group: row.group_name,
    labels: row.labels,
    notes: row.notes,
    protection: { delete: row.protects_delete, rebuild: row.protects_rebuild },
    error: row.error,
    initial_commands: { total: row.commands_total, failed: row.failed_commands },
    ssh_keys: row.ssh_keys,
    password_login: row.password_login,
    suspension: suspensionView(row),
    unavailable: unavailableView(row),
    allowed_actions: allowedActions(row.status, row.operation_kind, {
      retry: row.can_retry,
      rebuild: row.is_lost,
      run: !isStoppedForTraffic(row),
      isProtected: { delete: row.protects_delete, rebuild: row.protects_rebuild },
      suspended: row.suspension_reason !== null,
    }),
  };
}

const idleSentences: Record<ServerStatus, string> = {
  creating: 'The server is waiting to be created.',
  started: 'The server is running.',
  stopped: 'The server is stopped.',
  paused: 'The server is paused.',
  deleting: 'The server is waiting to be deleted.',
  error: 'The server is in the error state.',
};

function suspensionView({ suspended_at: at, suspension_reason: reason }: ServerInFull) {
  return at === null || reason === null ? null : { reason, at };
}

function suspendedSentence({ status, suspension_reason: reason }: ServerInFull) {
  if (reason === null) return undefined;
  const isRunning = status === 'started' || status === 'paused';
  return `It is suspended${isRunning ? ', and will be stopped' : ''}. ${bySuspension(reason)}`;
}

function unavailableView(row: ServerInFull): Server['unavailable'] {
  if (row.can_be_asked) return null;
  const { node, unavailable_since: since } = row;
  if (!row.location_answers) return { reason: 'Its location does not answer.', since };
  const what = row.is_lost ? 'was declared lost' : 'does not answer';
  return { reason: `Its node ${node} ${what}.`, since };
}

const usedUp =
  'Its traffic allowance of this month is used up: it can be started when the month turns, in UTC, or when the ' +
  'allowance is raised.';

const unavailable = 'Its node does not answer at the moment: this is what was last known.';

/** The response of `GET /v1/servers/{id}/status`; `last` is the last operation of the server. */
export function statusView(row: ServerInFull, last: LastOperation | undefined): ServerStatusRecord {
  const real_status = row.can_be_asked ? row.real_status : 'unavailable';
  if (row.operation_id !== null) {
    const { operation_message: status, operation_progress: progress } = row;
    return { status: status ?? '', real_status, is_processing: true, progress: progress ?? 0 };
  }
  const failed = last?.status === 'failed' ? last : undefined;
  return {
    status: idleSentence(row, last),
    real_status,
    is_processing: false,
    progress: failed?.progress ?? 100,
  };
}

function idleSentence(row: ServerInFull, last: LastOperation | undefined): string {
  const failure = last && failureSentence(last);
  // The error of a failed operation usually contains that of the server.
  const error = row.error !== null && !failure?.includes(row.error) ? row.error : undefined;
  const sentences = [
    idleSentences[row.status],
    suspendedSentence(row),
    row.status === 'stopped' && isStoppedForTraffic(row) ? usedUp : undefined,
    error,
    failure,
    last?.kind === 'create' ? userDataSentence(last) : undefined,
    last?.kind === 'create' ? commandsSentence(row, last) : undefined,
    row.can_be_asked ? undefined : unavailable,
  ];
  return sentences.filter((sentence) => sentence !== undefined).join(' ');
}

function failureSentence({ status, kind, error, message }: WaitedOperation): string | undefined {
  return status === 'failed'
    ? `Its last operation (${kind}) failed: ${error?.message ?? message}`
    : undefined;
}

/** These are shown until the next action on the server. */
function userDataSentence({ id, user_data: report }: LastOperation): string | undefined {
  const clause = userDataClause(report);
  const sentence = clause?.replace(/^it /, 'It ');
  return sentence && `${sentence}. GET /v1/operations/${id} shows what it said.`;
}

function commandsSentence(row: ServerInFull, { id }: WaitedOperation): string | undefined {
  const { commands_total: total, failed_commands: failed } = row;
  if (failed === 0) return undefined;
  return `${failedCommandsSentence(failed, total)} GET /v1/operations/${id} shows their output.`;
}
