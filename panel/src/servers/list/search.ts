const statuses = ['creating', 'started', 'stopped', 'paused', 'deleting', 'error'] as const;
const columns = ['name', 'status', 'address', 'size', 'location', 'created'] as const;

export type Status = (typeof statuses)[number];
export type Column = (typeof columns)[number];
export const allStatuses: readonly Status[] = statuses;

/** The filters and the order of the list, as they are in the URL. */
export interface ServerSearch {
  /** What the host name begins with. */
  q?: string;
  status?: Status;
  labels?: string;
  /** A column, and `-` before it for the reverse order. The default is `-created`. */
  sort?: Column | `-${Column}`;
}

const isOneOf = <T extends string>(words: readonly T[], word: unknown): word is T =>
  words.includes(word as T);

/** What the URL says, without what is not understood. */
export function readSearch(found: Record<string, unknown>): ServerSearch {
  const text = (value: unknown) => {
    const read = typeof value === 'number' ? String(value) : value;
    return typeof read === 'string' && read.trim() !== '' ? read.trim() : undefined;
  };
  const [q, labels, sort] = [text(found.q), text(found.labels), text(found.sort)];
  return {
    ...(q && { q }),
    ...(isOneOf(statuses, found.status) && { status: found.status }),
    ...(labels && { labels }),
    ...(sort && isOneOf(columns, sort.replace(/^-/, '')) && { sort: sort as Column }),
  };
}

export const hasFilters = ({ q, status, labels }: ServerSearch): boolean =>
  Boolean(q || status || labels);

/** The search without its order, which does not change what is read. */
export function filtersOf({ sort: _, ...filters }: ServerSearch): ServerSearch {
  return filters;
}

/** The parameters of `GET /v1/servers`. */
export const queryOf = ({ q, status, labels }: ServerSearch) => ({
  ...(q && { q }),
  ...(status && { status: [status] }),
  ...(labels && { label_selector: labels }),
});

/** Whether the list is in its usual order. */
export const isNewestFirst = ({ sort = '-created' }: ServerSearch): boolean => sort === '-created';
