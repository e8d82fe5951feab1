import type { Server } from '../../live/apply.ts';
import type { Column, ServerSearch } from './search.ts';

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

type Compare = (one: Server, other: Server) => number;

const bySize: Compare = ({ specifications: one }, { specifications: other }) =>
  one.cpu - other.cpu || one.ram - other.ram || one.disk - other.disk;

const comparisons: Record<Column, Compare> = {
  name: (one, other) => names.compare(one.hostname, other.hostname),
  status: (one, other) => names.compare(one.status, other.status),
  address: (one, other) => names.compare(addressOf(one) ?? '', addressOf(other) ?? ''),
  size: bySize,
  location: (one, other) => one.location_id - other.location_id,
  created: (one, other) => one.id - other.id,
};

/** The servers in the order of the search, in which those that are equal are ordered by their age. */
export function sorted(servers: readonly Server[], { sort = '-created' }: ServerSearch) {
  const isReverse = sort.startsWith('-');
  const compare = comparisons[sort.replace(/^-/, '') as Column];
  return servers.toSorted(
    (one, other) => (isReverse ? -1 : 1) * (compare(one, other) || one.id - other.id),
  );
}

/** The search after a click on the heading of a column. */
export function sortedBy(search: ServerSearch, column: Column): ServerSearch {
  return { ...search, sort: search.sort === column ? `-${column}` : column };
}

/** The primary address. */
export const addressOf = ({ ip_addresses }: Server): string | undefined => ip_addresses[0]?.ip;
