import type { Config } from '../config/config.ts';
import { lackOfRoom } from '../db/embedded/no-room.ts';
import type { DiskFullMonitor } from '../db/errors.ts';
import { Unwell } from './checks.ts';

/**
 * Creates a check that throws `Unwell` while PostgreSQL can't write because its disk is full. For an embedded
 * PostgreSQL it writes to the data directory, which detects this before a change is refused. For any PostgreSQL it uses
 * the errors of recent queries.
 */
export function createRoomCheck(
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
  refused: DiskFullMonitor,
): () => Promise<void> {
  let since: Date | undefined;
  return async () => {
    const found = databaseUrl ? undefined : await lackOfRoom(dataDir);
    since = found && (since ?? new Date());
    if (found && since) {
      throw new Unwell(
        'disk_full',
        `Changes have been refused since ${inWords(since)}, because the data directory ${found.failed} (${found.code}). ` +
          found.wayOut,
      );
    }
    const refusing = refused.since();
    if (!refusing) return;
    throw new Unwell(
      'disk_full',
      `PostgreSQL has refused changes since ${inWords(refusing)}, because its disk is full. Free disk space there.`,
    );
  };
}

const inWords = (time: Date) => `${time.toISOString().slice(0, 19)}Z`;
