import type { Cli } from '../cli.ts';
import { usageFailure } from '../errors/failure.ts';
import { nearest } from '../errors/nearest.ts';
import { type Column, type Columns, csvValue, textOf } from './columns.ts';
import { namesReferred } from './references.ts';
import { printable, printableOn } from './style.ts';

export const formats = ['table', 'json', 'yaml', 'name', 'csv'] as const;
export type Format = (typeof formats)[number];

/** What to print, in which form. */
interface Shape {
  /** The names of columns after `--columns`, separated by commas. */
  columns?: string | undefined;
  header?: boolean | undefined;
  /** What is said in place of a table without lines, on a terminal. */
  empty?: (() => string) | undefined;
}

/** Prints a list of objects in the format that `--output` names. */
export async function printList<Row extends object>(
  cli: Cli,
  columns: Columns<Row>,
  rows: readonly Row[],
  shape: Shape = {},
): Promise<void> {
  const { output } = cli.globals;
  const data = await formatted(output, rows, columns, shape);
  if (data !== undefined) return cli.print(printableOn(cli.io.stdout, data));
  const { table } = await import('./table.ts');
  const chosen = chosenColumns(columns, shape, columns.usual);
  const { style } = cli;
  const head = Object.entries(chosen).map((one) => style('bold', heading(...one)));
  const names = await namesReferred(cli, Object.values(chosen), rows);
  const lines = harmless(rows).map((row) =>
    Object.values(chosen).map((column) => textOf(column, row, style, { names, withIds: false })),
  );
  if (lines.length === 0 && cli.io.stdout.isTTY) {
    return cli.note(shape.empty?.() ?? 'There are none.');
  }
  cli.print(table(shape.header === false ? lines : [head, ...lines]));
}

/** Prints one object, with a line for each of its columns. */
export async function printOne<Row extends object>(
  cli: Cli,
  columns: Columns<Row>,
  row: Row,
  shape: Shape = {},
): Promise<void> {
  const data = await formatted(cli.globals.output, row, columns, shape);
  if (data !== undefined) return cli.print(printableOn(cli.io.stdout, data));
  const { table } = await import('./table.ts');
  const chosen = chosenColumns(columns, shape, Object.keys(columns.all));
  const shown = harmless(row);
  const names = await namesReferred(cli, Object.values(chosen), [row]);
  const lines = Object.entries(chosen).map(([name, column]) => [
    cli.style('bold', heading(name, column)),
    textOf(column, shown, cli.style, { names, withIds: true }),
  ]);
  cli.print(table(lines));
}

/** Prints what a change has resulted in: a sentence for people, and the object for programs. */
export async function printDone<Row extends object>(
  cli: Cli,
  columns: Columns<Row>,
  row: Row,
  sentence: string,
): Promise<void> {
  const data = await formatted(cli.globals.output, row, columns, {});
  cli.print(data === undefined ? printable(sentence) : printableOn(cli.io.stdout, data));
}

/** The data for programs. Undefined for a table. */
async function formatted<Row extends object>(
  format: Format,
  data: Row | readonly Row[],
  columns: Columns<Row>,
  shape: Shape,
): Promise<string | undefined> {
  const rows = Array.isArray(data) ? (data as readonly Row[]) : [data as Row];
  if (format === 'json') return JSON.stringify(data, null, 2);
  if (format === 'yaml') return (await import('yaml')).stringify(data).trimEnd();
  if (format === 'name') return rows.map(columns.name).join('\n');
  if (format === 'table') return undefined;
  const chosen = chosenColumns(columns, shape, Object.keys(columns.all));
  const lines = rows.map((row) => Object.values(chosen).map(({ of }) => csvValue(of(row))));
  const { stringify } = await import('csv-stringify/sync');
  const head = shape.header === false ? [] : [Object.keys(chosen)];
  return stringify([...head, ...lines]).trimEnd();
}

/** The columns that `--columns` names, or the default ones. */
function chosenColumns<Row>(
  { all }: Columns<Row>,
  { columns }: Shape,
  usual: readonly string[],
): Record<string, Column<Row>> {
  const names = columns === undefined ? usual : columns.split(',').map((name) => name.trim());
  return Object.fromEntries(
    names.map((name) => {
      const column = all[name];
      if (column) return [name, column];
      const meant = nearest(name, Object.keys(all));
      throw usageFailure(
        `There is no column ${name}.${meant ? ` Did you mean ${meant}?` : ''}`,
        `The columns are ${Object.keys(all).join(', ')}.`,
      );
    }),
  );
}

/** What refers to another object shows its name, so that LOCATION ID is LOCATION. */
function heading<Row>(name: string, { refersTo }: Column<Row>): string {
  const words = refersTo ? name.replace(/_id(s?)$/, '$1') : name;
  return words.replaceAll('_', ' ').toUpperCase();
}

/** A copy without control characters, because text of others could control the terminal. */
const harmless = <T>(data: T): T =>
  JSON.parse(JSON.stringify(data), (_, value) =>
    typeof value === 'string' ? printable(value) : value,
  ) as T;
