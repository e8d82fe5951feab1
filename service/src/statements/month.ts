import { invalidFields } from '../problems/problem.ts';

/** A calendar month in UTC, up to its end or to now. */
export interface Month {
  /** `2026-11` */
  name: string;
  from: Date;
  to: Date;
  isOver: boolean;
  /** The one before this: what is read late may be of it still, of older ones never. */
  isLast: boolean;
}

/** Of `2026-11`, or this one. Throws `validation_failed` (422) for one that has not begun. */
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
