import { type Statement, type StatementServer, statementColumns } from '@berth/contract/statements';
import type { Month } from './month.ts';
import type { StatementRow } from './queries.ts';

const iso = (time: Date) => time.toISOString().replace('Z', '000Z');

interface StatementOf {
  projectId: number;
  month: Month;
  isFinal: boolean;
}

export function statementView(
  { projectId, month, isFinal }: StatementOf,
  rows: StatementRow[],
): Statement {
  return {
    project_id: projectId,
    month: month.name,
    from: iso(month.from),
    to: iso(month.to),
    is_final: isFinal,
    servers: rows.map(serverView),
  };
}

function serverView(row: StatementRow): StatementServer {
  return {
    server_id: row.id,
    uuid: row.uuid,
    hostname: row.hostname,
    location_id: row.location_id,
    created_at: row.created_at,
    deleted_at: row.deleted_at,
    hours: hours(row.seconds),
    hours_running: hours(row.seconds_running),
    core_hours: hours(row.core_seconds),
    ram_gb_hours: hours(row.ram_mb_seconds / 1024),
    disk_gb_hours: hours(row.disk_gb_seconds),
    bytes_in: row.incoming,
    bytes_out: row.outgoing,
  };
}

/** To a thousandth of a second, or nearly so. */
const hours = (seconds: number | null) => Math.round(((seconds ?? 0) / 3600) * 1e6) / 1e6;

/**
 * The servers of a statement as CSV (RFC 4180), the names of the columns first. No value needs
 * quotes: host names, numbers and times hold no commas, quotes or line breaks.
 */
export function statementCsv({ servers }: Statement): string {
  const lines = servers.map((server) => statementColumns.map((column) => server[column] ?? ''));
  return [statementColumns, ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}
