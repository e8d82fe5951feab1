import { invalidFields } from '../problems/problem.ts';

const parts =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;

/**
 * Whether a text is a time of RFC 3339 with a time zone, and exists: there is no 31st of February and no leap second,
 * and PostgreSQL has no year 0.
 */
export function isRealTime(text: string): boolean {
  const [, year, month, day] = (parts.exec(text) ?? []).map(Number);
  if (!year || !month || !day || month > 12) return false;
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Throws `validation_failed` (422) for a period that ends before it begins. */
export function requirePeriod({
  from,
  to,
}: {
  from?: string | undefined;
  to?: string | undefined;
}): void {
  if (from === undefined || to === undefined || Date.parse(from) <= Date.parse(to)) return;
  throw invalidFields([{ parameter: 'from', detail: 'Must not be later than `to`.' }]);
}
