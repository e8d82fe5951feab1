import { isMeasure, type Measure } from './measures.ts';

/** The month and what is compared, as they are in the URL. */
export interface StatementSearch {
  /** Such as `2026-11`, in UTC. The default is the current month. */
  month?: string;
  /** What the servers are ordered and compared by. The default is `running`. */
  by?: Measure;
}

const months = /^(?!0000)\d{4}-(0[1-9]|1[0-2])$/;

/** What the URL says, without what is not understood. */
export function readStatementSearch({ month, by }: Record<string, unknown>): StatementSearch {
  return {
    ...(typeof month === 'string' && months.test(month) && { month }),
    ...(isMeasure(by) && { by }),
  };
}
