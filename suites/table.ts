import type { Outcome } from './play.ts';
import type { Failure } from './results.ts';

const head = ['part', 'files', 'tests', 'seconds', 'failed', 'unsteady'];

/** The outcomes as a table in Markdown, and each failure with its file and message. */
export function report(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ part, files, tests, seconds, failures, unsteady }) => [
    part.name,
    ...[files.length, tests, Math.round(seconds), failures.length, unsteady.length].map(String),
  ]);
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((all, one) => all + of(one), 0);
  const tests = sum((one) => one.tests);
  const failed = sum(({ failures }) => failures.length);
  return [
    ...table([head, ...rows]),
    '',
    ...outcomes.flatMap(({ unsteady }) => unsteady.map((one) => `unsteady: ${line(one)}`)),
    ...outcomes.flatMap(({ failures }) => failures.map((one) => `failed: ${line(one)}`)),
    `${Math.max(0, tests - failed)} passed, ${failed} failed`,
  ].join('\n');
}

const line = ({ file, test, message }: Failure) =>
  `${file}: ${test}: ${message.trim().split('\n')[0]}`;

function table([first = [], ...rows]: string[][]): string[] {
  const widths = first.map((_, column) =>
    Math.max(...[first, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const shown = (row: string[]) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [shown(first), rule, ...rows.map(shown)];
}
