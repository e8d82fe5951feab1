import prettyBytes from 'pretty-bytes';
import prettyMs from 'pretty-ms';

/** `3d`, `2h`: how long ago a time was, for lists. */
export function age(time: string | null, now = Date.now()): string {
  if (time === null) return 'never';
  return prettyMs(Math.max(0, now - Date.parse(time)), { compact: true });
}

/** `2026-11-27 18:20:38 UTC` */
export const utc = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;

/** `2026-11-27 18:20:38 UTC (3d ago)`, in UTC as the API has it. */
export function moment(time: string | null, now = Date.now()): string {
  if (time === null) return 'never';
  const at = utc(time);
  const ms = now - Date.parse(time);
  return ms >= 0 ? `${at} (${age(time, now)} ago)` : at;
}

export const mib = (size: number) => prettyBytes(size * 1024 ** 2, { binary: true });
export const gib = (size: number) => prettyBytes(size * 1024 ** 3, { binary: true });
export const bytes = (count: number) => prettyBytes(count);
export const percent = (value: number) => `${Math.round(value)} %`;
export const milliseconds = (ms: number) => prettyMs(ms);

/** Labels as `key=value`, as `--label` takes them. */
export const labelList = (labels: object): string[] =>
  Object.entries(labels).map(([key, value]) => (value === '' ? key : `${key}=${value}`));

/** `web-1, web-2 and web-3` */
export const and = (names: readonly string[]) => new Intl.ListFormat('en-GB').format(names);
