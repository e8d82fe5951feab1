import type { components } from '@berth/client';

type Status = components['schemas']['Node']['status'];

export const statusWords: Record<Status, string> = {
  online: 'online',
  offline: 'offline',
  cordoned: 'cordoned',
  evacuated: 'evacuated',
  gone: 'gone',
  lost: 'lost',
};

/** The filters of the nodes, as they are in the URL. */
export interface NodeSearch {
  /** What the name begins with. */
  q?: string;
  status?: Status;
  /** The ID of a location. */
  location?: number;
}

const isStatus = (word: unknown): word is Status =>
  typeof word === 'string' && Object.hasOwn(statusWords, word);

/** What the URL says, without what is not understood. */
export function readNodeSearch({ q, status, location }: Record<string, unknown>): NodeSearch {
  const text = typeof q === 'string' || typeof q === 'number' ? String(q).trim() : '';
  const id = Number(location);
  return {
    ...(text && { q: text }),
    ...(isStatus(status) && { status }),
    ...(Number.isSafeInteger(id) && id > 0 && { location: id }),
  };
}

export const hasFilters = (search: NodeSearch): boolean => Object.keys(search).length > 0;

/** The parameters of `GET /v1/nodes`. */
export const queryOf = ({ q, status, location }: NodeSearch) => ({
  ...(q && { q }),
  ...(status && { status: [status] }),
  ...(location && { location_id: [location] }),
});
