import type { Style } from './style.ts';

export type Value = string | number | boolean | null | undefined;

/** What the values of columns refer to by ID. */
export type Referred = 'location' | 'project' | 'os';

/** The names by noun and ID, such as `location 1`. What cannot be read, such as a deleted project, has none. */
export type Names = ReadonlyMap<string, string>;

/** A column of a list, and a line of what `show` prints. */
export interface Column<Row> {
  /** The value, as CSV has it. */
  of(row: Row): Value | readonly string[];
  /** The value for people, if it is not the same. */
  text?(row: Row, style: Style): string;
  /** The noun of the IDs that the value consists of: tables have the names. */
  refersTo?: Referred;
}

/** How objects of a noun are printed. */
export interface Columns<Row> {
  /** All columns by their names, in the order of `show` and of CSV. */
  all: Record<string, Column<Row>>;
  /** Those that a list has, unless `--columns` names others. */
  usual: readonly string[];
  /** What `-o name` prints. */
  name(row: Row): string;
}

type Short<Row> = Column<Row> | Column<Row>['of'];

/** Defines columns; a function alone is a column whose value is shown as it is. */
export function columnsOf<Row, Name extends string = string>(
  short: Record<Name, Short<Row>>,
  usual: readonly NoInfer<Name>[],
  name: (row: Row) => string,
): Columns<Row> {
  const all = Object.fromEntries(
    Object.entries<Short<Row>>(short).map(([key, column]) => [
      key,
      typeof column === 'function' ? { of: column } : column,
    ]),
  );
  return { all, usual, name };
}

export const csvValue = (value: Value | readonly string[]): string =>
  Array.isArray(value) ? value.join(' ') : String(value ?? '');

/** A column of the ID of another object, or of several. */
export const referring = <Row>(refersTo: Referred, of: Column<Row>['of']): Column<Row> => ({
  ...{ of, refersTo },
});

/** The value of a column as people read it, with the names of what it refers to. */
export function textOf<Row>(
  column: Column<Row>,
  row: Row,
  style: Style,
  { names, withIds }: { names: Names; withIds: boolean },
): string {
  const value = column.of(row);
  if (column.refersTo && value !== null && value !== undefined) {
    const shown = [value].flat().map((id) => {
      const name = names.get(`${column.refersTo} ${id}`);
      return name === undefined ? String(id) : withIds ? `${name} (${id})` : name;
    });
    return shown.join(', ');
  }
  if (column.text) return column.text(row, style);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  return text === '' ? '-' : text;
}
