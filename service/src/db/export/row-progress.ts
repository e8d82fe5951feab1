import type { ExportHeader } from './export-file.ts';

const everyMilliseconds = 1000;

/** Tells how far something is. */
export interface Progress {
  /** Called with each number of rows more. */
  of(header: Pick<ExportHeader, 'tables'>): (rows: number) => void;
}

/** In words, each second; what takes less than one says nothing. */
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
