/** The result of a scenario. */
export interface Row {
  scenario: string;
  did: string;
  /** The seconds until the named condition was true. */
  took: Record<string, number>;
  servers: number;
  moved: number;
  reads: number;
  /** Milliseconds. */
  p99: number;
  /** Reads without a successful response. */
  failed: number;
  /** The total duration. */
  seconds: number;
  /** The failure; undefined if everything succeeded. */
  broken: unknown;
}

const columns: [string, (row: Row) => string][] = [
  ['scenario', (row) => row.scenario],
  ['what was done', (row) => row.did],
  ['seconds', (row) => took(row)],
  ['servers', (row) => String(row.servers)],
  ['moved', (row) => String(row.moved)],
  ['reads', (row) => String(row.reads)],
  ['p99', (row) => `${row.p99} ms`],
  ['failed', (row) => String(row.failed)],
  ['outcome', ({ broken }) => (broken === undefined ? 'passed' : 'FAILED')],
];

/** Formats the results as Markdown. */
export function table(rows: readonly Row[]): string {
  const cells = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, of]) => of(row))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  const lines = cells.map((line) => line.map((cell, at) => cell.padEnd(widths[at] ?? 0)));
  lines.splice(
    1,
    0,
    widths.map((width) => '-'.repeat(width)),
  );
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

function took({ took: times }: Row): string {
  return Object.entries(times)
    .map(([what, time]) => `${what}: ${time.toFixed(1)}`)
    .join('; ');
}
