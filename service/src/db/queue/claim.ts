import { AsyncLocalStorage } from 'node:async_hooks';

/** What a request may take of the database: known to its queries without being handed from function to function. */
export interface Claim {
  /** Whose share of the connections it takes, such as `project 5`. */
  share: string;
  /** Whether it only reads: its statements may take less long. */
  onlyReads: boolean;
}

/** The share of all of whom it is not known, or not yet, who they are. */
export const sharedByUnknown = 'unknown';

const claims = new AsyncLocalStorage<Claim | undefined>();

/** Undefined for work that no request asked for. */
export const currentClaim = () => claims.getStore();

/** Runs `work`, and all that comes of it, with a claim. */
export function withClaim<T>(claim: Claim, work: () => T): T {
  return claims.run(claim, work);
}

/** The same for what a request sets off, and all others have a part in. */
export function withoutClaim<T>(work: () => T): T {
  return claims.run(undefined, work);
}
