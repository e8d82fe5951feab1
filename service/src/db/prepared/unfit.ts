import { DatabaseError } from 'pg';

/**
 * Whether a migration has changed the columns of a prepared statement. This depends on the routine of PostgreSQL that
 * reported the error, because the message may be in any language, and the code stands for all unsupported features.
 */
export const isOutdatedPlan = (error: unknown) =>
  error instanceof DatabaseError &&
  error.code === '0A000' &&
  error.routine === 'RevalidateCachedQuery';

/**
 * Whether a prepared statement does not fit, so that PostgreSQL has not run it. Its plan is outdated, or the connection
 * no longer has the statement, or has another one with its name, such as after `discard all` or behind a connection
 * pooler.
 */
export const isUnfitStatement = (error: unknown) =>
  isOutdatedPlan(error) ||
  (error instanceof DatabaseError && (error.code === '26000' || error.code === '42P05'));
