import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The claim of a request on the database. It is available to all queries of the request, without passing it from
 * function to function.
 */
export interface Claim {
  /** The key of its share of the connections, such as `project 5`. */
  share: string;
  /** Whether the request only reads, so that its statements have a shorter timeout. */
  onlyReads: boolean;
}

/** The share of all callers who are unknown or not authenticated yet. */
export const sharedByUnknown = 'unknown';

const claims = new AsyncLocalStorage<Claim | undefined>();

/** The claim of the current request. Undefined for work that no request started. */
export const currentClaim = () => claims.getStore();

/** Runs `work`, and everything that it starts, with a claim. */
export function withClaim<T>(claim: Claim, work: () => T): T {
  return claims.run(claim, work);
}

/** Runs work without a claim that a request starts, but whose result several requests share. */
export function withoutClaim<T>(work: () => T): T {
  return claims.run(undefined, work);
}
