const short = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });

/** `0.3 s`, `12 s`, `4 min` */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  return seconds < 120 ? `${short.format(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
