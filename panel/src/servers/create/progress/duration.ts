const short = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });

/** `340 ms`, `1.3 s`, `4 min` */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  const seconds = milliseconds / 1000;
  return seconds < 120 ? `${short.format(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
