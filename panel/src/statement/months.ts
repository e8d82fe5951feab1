const named = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The month of a time in UTC: `2026-11`. */
export const monthOf = (time: number): string => new Date(time).toISOString().slice(0, 7);

/** `November 2026` */
export const monthName = (month: string): string => named.format(new Date(`${month}-01T00:00:00Z`));

/** The month that is `by` months later, or earlier. */
export function monthAfter(month: string, by: number): string {
  const time = new Date(`${month}-01T00:00:00Z`);
  time.setUTCMonth(time.getUTCMonth() + by);
  return monthOf(time.getTime());
}

const mostMonths = 120;

/** The months from the first one to the last one, the latest first. */
export function monthsFrom(first: string, last: string): string[] {
  const months = [last];
  for (let month = last; month > first && months.length < mostMonths; ) {
    month = monthAfter(month, -1);
    months.push(month);
  }
  return months;
}
