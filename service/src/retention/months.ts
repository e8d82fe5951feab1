/** The first moment of the month (UTC) that a time is in, or of one so many months later. */
export function monthOf(time: Date, later = 0): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + later));
}

/** The same day so many months earlier, or the last day of a shorter month. */
export function monthsBefore(time: Date, months: number): Date {
  const month = monthOf(time, -months);
  const days = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate();
  const result = new Date(time);
  result.setUTCFullYear(
    month.getUTCFullYear(),
    month.getUTCMonth(),
    Math.min(time.getUTCDate(), days),
  );
  return result;
}

export const daysBefore = (time: Date, days: number) =>
  new Date(time.getTime() - days * 86_400_000);
