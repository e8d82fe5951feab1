import { table } from '../lib/table.ts';
import type { InspectedOperation } from './queries.ts';

const shownState = 200;

/** Formats seconds from now, negative in the past, for people: "12 s ago", "in 3 min". */
export function fromNow(seconds: number | null): string {
  if (seconds === null) return '-';
  const amount = duration(Math.abs(seconds));
  return seconds < 0 ? `${amount} ago` : `in ${amount}`;
}

function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** Formats labels with their values, one per line. */
export const facts = (pairs: [string, string][]): string => table(pairs);

export function operationsTable(rows: InspectedOperation[]): string {
  const header = [
    'ID',
    'KIND',
    'OF',
    'STATUS',
    'STEP',
    '%',
    'REQUESTED',
    'WORKER',
    'ATTEMPTS',
    'NEXT CHECK',
    'DEADLINE',
    'LAST ERROR',
  ];
  return table([
    header,
    ...rows.map((row) => [
      String(row.id),
      row.kind,
      row.node === null ? `${row.server_id} ${row.hostname}` : `node ${row.node}`,
      row.status,
      row.step,
      String(row.progress),
      fromNow(row.created_in),
      worker(row),
      String(row.attempts),
      row.finished_in === null ? fromNow(row.wakes_in) : '-',
      row.finished_in === null ? fromNow(row.deadline_in) : '-',
      row.last_error ?? row.error?.message ?? '',
    ]),
  ]);
}

/** Everything about one operation, except for its secrets. */
export function operationFacts(row: InspectedOperation): string {
  return facts([
    ['operation', `${row.id}: ${row.kind} of ${subjectOf(row)} in ${row.location}`],
    ['part of', row.parent_id === null ? '-' : `operation ${row.parent_id}`],
    ['status', `${row.status}, ${row.progress} %`],
    ['message', row.message],
    ['step', row.step],
    ['state', JSON.stringify(row.state).slice(0, shownState)],
    ['worker', worker(row)],
    ['attempts', `${row.attempts} of this step; leased ${row.fence} times`],
    ['last error', row.last_error ?? '-'],
    ['ended with', row.error ? `${row.error.code}: ${row.error.message}` : '-'],
    ['requested', fromNow(row.created_in)],
    ['begun', fromNow(row.started_in)],
    ['ended', fromNow(row.finished_in)],
    ['next check', row.finished_in === null ? fromNow(row.wakes_in) : '-'],
    ['deadline', row.finished_in === null ? fromNow(row.deadline_in) : '-'],
  ]);
}

function subjectOf({ node, server_id, hostname }: InspectedOperation): string {
  return node === null ? `server ${server_id} (${hostname})` : `node ${node}`;
}

/** The name of the service, as in `inspect reconcilers`, or its lease if the service has not reported its name. */
function worker({ lease_holder, lease_ends_in, worker: service }: InspectedOperation): string {
  if (lease_holder === null) return 'none';
  const lease = lease_ends_in === null || lease_ends_in < 0 ? 'lost' : `${lease_ends_in} s`;
  return `${service ?? lease_holder.slice(0, 8)} (${lease})`;
}
