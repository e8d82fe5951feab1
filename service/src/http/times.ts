/** Whether PostgreSQL would take a text of a schema's form as a time: there is no 31st of February. */
export function isRealTime(text: string): boolean {
  // PostgreSQL knows no year 0.
  if (text.startsWith('0000') || Number.isNaN(Date.parse(text))) return false;
  return new Date(text).toISOString().slice(0, 10) === text.slice(0, 10);
}
