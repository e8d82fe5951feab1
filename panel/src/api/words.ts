import { BerthError } from '@berth/client';
import { waitInWords } from '../format/times.ts';
import { withoutRequests } from './without-requests.ts';

/** An error whose message is in words for people. */
export class ExplainedError extends Error {}

/** About a file of the panel. After an update of Berth, the files have other names. */
export const notLoaded =
  'A part of the panel could not be loaded. Check your network. If Berth was updated meanwhile, reload the page.';
/** As Chromium, Firefox and Safari say it. */
const failedImport = /dynamically imported module|importing a module script/i;

/** What went wrong, in words for people. */
export function inWords(error: unknown): string {
  if (error instanceof ExplainedError) return error.message;
  if (error instanceof TypeError && failedImport.test(error.message)) return notLoaded;
  if (!(error instanceof BerthError)) return `The panel has a fault: ${String(error)}`;
  if (error.code === 'connection_failed')
    return 'The service cannot be reached. Check your network, and try again.';
  if (error.code === 'confirmation_required')
    return 'Nothing was changed, because you did not confirm that it is you.';
  const detail = withoutRequests(error.detail);
  const { retryAfterMs } = error;
  if (error.status !== 429 || retryAfterMs === undefined) return detail;
  return `${detail} You can try again in ${waitInWords(retryAfterMs)}.`;
}

/** Whether the request needs a session, and has none, or one that has ended. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof BerthError && error.status === 401 && error.code !== 'sign_in_failed';

/** Whether the object that the request names does not exist, for this person. */
export const isMissing = (error: unknown): boolean =>
  error instanceof BerthError && error.status === 404;

/** Whether the quota of the project is in the way. */
export const isQuotaExceeded = (error: unknown): boolean =>
  error instanceof BerthError && error.code === 'quota_exceeded';
