import { BerthError } from '@berth/client';

/** A label as it is being edited. */
export interface Row {
  /** Stays while the key is edited. */
  id: number;
  key: string;
  value: string;
}

type Labels = Readonly<Record<string, string>>;

export const rowsOf = (labels: Labels): Row[] =>
  Object.entries(labels).map(([key, value], id) => ({ id, key, value }));

export const withNew = (rows: readonly Row[]): Row[] => [
  ...rows,
  { id: Math.max(-1, ...rows.map(({ id }) => id)) + 1, key: '', value: '' },
];

/** What differs from the labels, as a JSON Merge Patch (RFC 7396): null removes a label. Empty rows are left out. */
export function patchOf(labels: Labels, rows: readonly Row[]): Record<string, string | null> {
  const wanted = new Map(
    rows.filter((row) => row.key || row.value).map((row) => [row.key, row.value]),
  );
  const removed = Object.keys(labels).filter((key) => !wanted.has(key));
  return Object.fromEntries<string | null>([
    ...removed.map((key): [string, null] => [key, null]),
    ...[...wanted].filter(([key, value]) => !Object.hasOwn(labels, key) || labels[key] !== value),
  ]);
}

/** The errors of rows by their ID. */
type RowErrors = ReadonlyMap<number, string>;

/** A patch cannot have a key twice. */
export function repeated(rows: readonly Row[]): RowErrors {
  const again = rows.filter(
    ({ key }, index) => key !== '' && rows.findIndex((row) => row.key === key) < index,
  );
  return new Map(again.map(({ id }) => [id, 'There is another label with this key.']));
}

/** What the service says of which row. `rest` is whether it says something else, too. */
export function rowErrors(
  error: unknown,
  rows: readonly Row[],
): { found: RowErrors; rest: boolean } {
  const found = new Map<number, string>();
  if (!(error instanceof BerthError)) return { found, rest: error !== null };
  let rest = error.errors.length === 0;
  for (const { pointer = '', detail } of error.errors) {
    const row = rows.find(({ key }) => pointer === `/labels/${pointerPart(key)}`);
    if (!row) rest = true;
    else if (!found.has(row.id)) found.set(row.id, detail);
  }
  return { found, rest };
}

/** A part of a JSON Pointer (RFC 6901). */
const pointerPart = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
