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
        `Since ${inWords(since)} nothing can be written: the data directory ${found.failed} (${found.code}). ` +
          `Changes are refused. ${found.wayOut}`,
      );
    }
    const refusing = refused.since();
    if (!refusing) return;
    throw new Unwell(
      `Since ${inWords(refusing)} PostgreSQL refuses changes: its disk is full. Make room there.`,
    );
  };
}

const inWords = (time: Date) => `${time.toISOString().slice(0, 19)}Z`;
