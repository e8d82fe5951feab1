import { createHash } from 'node:crypto';
import { refuse } from './refusal.ts';
import type { Call } from './router.ts';

/** The ETag of what a client can change. */
export const etagOf = (changeable: unknown): string =>
  createHash('sha256').update(JSON.stringify(changeable)).digest('hex');

export const etagHeader = (etag: string) => ({ etag: `"${etag}"` });

/** Refuses a request with the ETag of an older version. */
export function refuseStale({ headers }: Call, etag: string): void {
  const given = headers['if-match']?.replaceAll('"', '');
  if (given !== undefined && given !== etag) refuse(`ETag doesn't match: ${etag} vs ${given}`, 412);
}
