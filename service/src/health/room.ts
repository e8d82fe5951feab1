import type { Config } from '../config/config.ts';
import { lackOfRoom } from '../db/embedded/no-room.ts';
import type { DiskFullMonitor } from '../db/errors.ts';
import { Unwell } from './checks.ts';

/**
 * A check that throws `Unwell` while nothing can be written: of an embedded PostgreSQL by writing to the data directory,
 * which tells before a change is refused; of any by what it has answered of late.
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
