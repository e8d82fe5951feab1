import { type Statement, type StatementServer, statementColumns } from '@berth/contract/statements';
import { chargesOf, sumsOf } from './charges.ts';
import type { Month } from './month.ts';
import type { StatementRow } from './queries.ts';

const iso = (time: Date) => time.toISOString().replace('Z', '000Z');

export interface StatementOf {
  projectId: number;
  month: Month;
  isFinal: boolean;
}

/** The statement without its servers, which can be many, and what they cost together. */
export function statementHead({
  projectId,
  month,
  isFinal,
}: StatementOf): Omit<Statement, 'servers' | 'prices'> {
  return {
    project_id: projectId,
    month: month.name,
    from: iso(month.from),
    to: iso(month.to),
    is_final: isFinal,
  };
}

export function serverView(row: StatementRow): StatementServer {
  const charges = chargesOf(row.times);
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
    labels: row.labels,
    size: row.size,
    prices: sumsOf(charges),
    charges,
  };
}

/** Rounded to a thousandth of a second. */
const hours = (seconds: number | null) => Math.round(((seconds ?? 0) / 3600) * 1e6) / 1e6;

/** The names of the columns, as the first line of a CSV (RFC 4180). */
export const csvHead = `${statementColumns.join(',')}\r\n`;

/**
 * A server of a statement as a line of a CSV. No value needs quotes: host names, numbers, times, labels and names of sizes
 * hold no commas, quotes or line breaks.
 */
export function csvLine(row: StatementRow): string {
  const server = serverView(row);
  const labels = Object.entries(server.labels).map(([key, value]) => `${key}=${value}`);
  const prices = server.prices.map(({ currency, amount }) => `${currency}=${amount}`);
  const line = { ...server, labels: labels.join(' '), prices: prices.join(' ') };
  return `${statementColumns.map((column) => line[column] ?? '').join(',')}\r\n`;
}
