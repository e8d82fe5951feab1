import { type Berth, BerthError } from '@berth/client';
import pLimit from 'p-limit';
import type { Cli } from '../cli.ts';
import type { Column, Names, Referred } from './columns.ts';
import { printable } from './style.ts';

// Objects of the API refer to others by ID. Tables have their names, and JSON and CSV what the API returned.

/** How the name of an object is read. */
const readers: Record<Referred, (berth: Berth, id: string) => Promise<string>> = {
  location: async (berth, id) =>
    (await berth.GET('/v1/locations/{id}', { params: { path: { id } } })).data.name,
  project: async (berth, id) =>
    (await berth.GET('/v1/projects/{id}', { params: { path: { id } } })).data.name,
  os: async (berth, id) =>
    (await berth.GET('/v1/operating-systems/{id}', { params: { path: { id } } })).data.slug,
};

const mostAtOnce = 5;

/** Reads the names of all that the rows refer to in these columns. */
export async function namesReferred<Row>(
  cli: Cli,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<Names> {
  const wanted = new Map<string, () => Promise<string>>();
  for (const column of columns) {
    const { refersTo } = column;
    if (!refersTo) continue;
    for (const id of rows.flatMap((row) => idsIn(column, row))) {
      wanted.set(`${refersTo} ${id}`, () => readers[refersTo](cli.berth(), id));
    }
  }
  const limit = pLimit(mostAtOnce);
  const found = [...wanted].map(([key, read]) =>
    limit(async (): Promise<[string, string][]> => {
      try {
        return [[key, printable(await read())]];
      } catch (error) {
        if (error instanceof BerthError) return [];
        throw error;
      }
    }),
  );
  return new Map((await Promise.all(found)).flat());
}

const idsIn = <Row>(column: Column<Row>, row: Row): string[] =>
  [column.of(row)].flat().flatMap((id) => (id === null || id === undefined ? [] : [String(id)]));
