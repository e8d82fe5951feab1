import { table } from '../lib/table.ts';
import type { InspectedReconciler } from './queries.ts';
import { fromNow } from './view.ts';

/** The status of each reconciler of each service, one per line. */
export function reconcilersTable(rows: InspectedReconciler[]): string {
  const header = [
    'LOCATION',
    'RECONCILER',
    'SERVICE',
    'EVERY',
    'LAST RUN',
    'TOOK',
    'LAG',
    'RESULT',
    'FOUND',
    'RUNNING',
    'FAILED',
    'LAST ERROR',
    'REPORTED',
  ];
  return table([header, ...rows.map(lineOf)]);
}

function lineOf(row: InspectedReconciler): string[] {
  return [
    row.location || '-',
    row.reconciler,
    row.service,
    row.every_seconds === null ? '-' : `${row.every_seconds} s`,
    row.ran_in === null ? 'never' : fromNow(row.ran_in),
    seconds(row.seconds),
    seconds(row.lag_seconds),
    row.outcome ?? '-',
    foundOf(row),
    row.running_in === null ? '-' : `since ${fromNow(row.running_in)}`,
    `${row.failures} of ${row.runs}`,
    row.error === null ? '-' : `${fromNow(row.failed_in)}: ${row.error.replace(/\s+/g, ' ')}`,
    fromNow(row.reported_in),
  ];
}

const seconds = (value: number | null) => (value === null ? '-' : `${value.toFixed(2)} s`);

function foundOf({ key, found }: InspectedReconciler): string {
  const about = key === null || key === 'all' ? [] : [key];
  const numbers = Object.entries(found ?? {}).map(([name, count]) => `${name} ${count}`);
  return [...about, numbers.join(', ')].filter(Boolean).join(': ') || '-';
}
