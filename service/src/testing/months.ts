/** The first days of this month and the next, in UTC, for a test during which the month may end. */
export function thisMonthAndNext(): string[] {
  const now = new Date();
  const first = (ahead: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1);
  return [0, 1].map((ahead) => new Date(first(ahead)).toISOString().slice(0, 10));
}
