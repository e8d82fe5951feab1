import type { ExportHeader } from './export-file.ts';

const everyMilliseconds = 1000;

/** Reports the progress of an export or import in rows. */
export interface Progress {
  /** Returns a function that must be called with the number of added rows. */
  of(header: Pick<ExportHeader, 'tables'>): (rows: number) => void;
}

/**
 * Prints the progress once a second, and then its end; nothing if it takes less than a second.
 * `now`: ms, of a clock that only goes forward.
 */
export function progressInWords(
  say: (text: string) => void,
  now = () => performance.now(),
): Progress {
  let done = 0;
  let saidAt = now();
  let isPartSaid = false;
  return {
    of({ tables }) {
      const total = tables.reduce((sum, { rows }) => sum + rows, 0);
      return (rows) => {
        done += rows;
        const isEnd = done >= total && isPartSaid;
        if (!isEnd && now() - saidAt < everyMilliseconds) return;
        saidAt = now();
        isPartSaid = done < total;
        const percent = Math.floor((100 * done) / Math.max(1, total));
        say(`${done.toLocaleString('en')} of ${total.toLocaleString('en')} rows (${percent} %)`);
      };
    },
  };
}
