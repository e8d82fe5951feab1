import { DatabaseError } from 'pg';

/**
 * Whether a migration has changed the result of a prepared statement. The message may be in any
 * language, and the code means all that is not supported, so its origin in PostgreSQL decides.
 */
export const isOutdatedPlan = (error: unknown) =>
  error instanceof DatabaseError &&
  error.code === '0A000' &&
  error.routine === 'RevalidateCachedQuery';

/**
 * Whether a prepared statement does not fit: its plan is outdated, or the connection no longer has
 * it, or has another one of its name, as after `discard all` or behind a pooler. PostgreSQL has not
 * done anything then.
 */
export const isUnfitStatement = (error: unknown) =>
  isOutdatedPlan(error) ||
  (error instanceof DatabaseError && (error.code === '26000' || error.code === '42P05'));
