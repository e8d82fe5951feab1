import { findEmbeddedPostgres } from '../db/embedded/embedded.ts';
import type { DatabasePlace } from '../db/open.ts';
import { findExportTime } from '../db/queries.ts';
import { readFrom } from './database.ts';
import type { Finding } from './doctor.ts';

const what = 'exports';
const hourMs = 3_600_000;
const wayOut = 'Export it daily, for example with cron: npm run db -- backup DIRECTORY --keep 14';

/**
 * Checks the time of the last export to any directory, which the database records. This is for a Berth that was started
 * by hand, because the directory of its exports is unknown.
 * @param isKnown whether the state of the database is known: it responds, is stopped, or does not exist
 */
export async function recordedExportFinding(
  place: DatabasePlace,
  { isKnown, now }: { isKnown: boolean; now: Date },
): Promise<Finding> {
  const unknown = (says: string): Finding => ({ what, state: 'note', says });
  if (!isKnown) return unknown('not known: the database could not be asked');
  const database = place.databaseUrl ?? (await findEmbeddedPostgres(place));
  if (database === 'none') return { what, state: 'ok', says: 'none needed: there is no database' };
  if (database === 'stopped') return unknown('not known while the database is stopped');
  const at = await readFrom(database, findExportTime);
  if (!at) return { what, state: 'note', says: 'the database has never been exported', wayOut };
  const hours = Math.floor((now.getTime() - Date.parse(at)) / hourMs);
  const says = `the last one was made at ${at.slice(0, 19)}Z, as the database says`;
  if (hours < 48) return { what, state: 'ok', says };
  return { what, state: 'problem', says: `${says}, ${hours} hours ago`, wayOut };
}
