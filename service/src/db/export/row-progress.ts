import type { ExportHeader } from './export-file.ts';

const everyMilliseconds = 1000;

/** Reports the progress of an export or import in rows. */
export interface Progress {
  /** Returns a function that must be called with the number of added rows. */
  of(header: Pick<ExportHeader, 'tables'>): (rows: number) => void;
}

/** Prints the progress once a second, and nothing if the work takes less than a second. */
export function progressInWords(say: (text: string) => void): Progress {
  let done = 0;
  let saidAt = performance.now();
  return {
    of({ tables }) {
      const total = tables.reduce((sum, { rows }) => sum + rows, 0);
      return (rows) => {
        done += rows;
        if (performance.now() - saidAt < everyMilliseconds) return;
        saidAt = performance.now();
        const percent = Math.floor((100 * done) / Math.max(1, total));
        say(`${done.toLocaleString('en')} of ${total.toLocaleString('en')} rows (${percent} %)`);
      };
    },
  };
}
