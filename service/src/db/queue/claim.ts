import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The claim of a request on the database, which its queries find without passing it from function
 * to function.
 */
export interface Claim {
  /** The key of its share of the connections, such as `project 5`. */
  share: string;
  /** Whether the request only reads: its statements then have a shorter timeout. */
  onlyReads: boolean;
}

/** The share of all callers who are not known, or not yet. */
export const sharedByUnknown = 'unknown';

const claims = new AsyncLocalStorage<Claim | undefined>();

/** Undefined for work that no request started. */
export const currentClaim = () => claims.getStore();

/** Runs `work`, and everything it starts, with a claim. */
export function withClaim<T>(claim: Claim, work: () => T): T {
  return claims.run(claim, work);
}

/** Runs work that a request starts but that others share, without a claim. */
export function withoutClaim<T>(work: () => T): T {
  return claims.run(undefined, work);
}
