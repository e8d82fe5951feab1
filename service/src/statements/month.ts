import { invalidFields } from '../problems/problem.ts';

/** A calendar month in UTC, up to its end or to now. */
export interface Month {
  /** `2026-11` */
  name: string;
  from: Date;
  to: Date;
  isOver: boolean;
  /** Whether it is the previous month. Late readings can belong to it, and never to older months. */
  isLast: boolean;
}

/**
 * Parses a month such as `2026-11`; defaults to the current one. Throws `validation_failed` (422)
 * for a month that has not begun.
 */
export function readMonth(text: string | undefined, now: Date): Month {
  const name = text ?? now.toISOString().slice(0, 7);
  const from = new Date(`${name}-01T00:00:00Z`);
  if (from > now) {
    throw invalidFields([{ parameter: 'month', detail: 'This month has not begun.' }]);
  }
  const end = later(from, 1);
  const isOver = end <= now;
  return { name, from, to: isOver ? end : now, isOver, isLast: isOver && later(from, 2) > now };
}

function later(time: Date, months: number): Date {
  const result = new Date(time);
  result.setUTCMonth(result.getUTCMonth() + months);
  return result;
}
