const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

const relative = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' });

/** How long ago something was, or in how long it will be: `5 minutes ago`. */
export function ago(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  if (unit === 'second') return Math.abs(seconds) < 10 ? 'just now' : 'less than a minute ago';
  return relative.format(Math.round(seconds / size), unit);
}

// Making a format takes a hundred times as long as using it.
const formats = new Map<string | undefined, Intl.DateTimeFormat>();

function formatIn(timeZone: string | undefined): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    ...{ dateStyle: 'medium', timeStyle: 'medium' },
    ...(timeZone && { timeZone }),
  });
  formats.set(timeZone, made);
  return made;
}

/** The time in the zone of the viewer: `21 Nov 2026, 05:32:50`. */
export const local = (at: string, timeZone?: string): string =>
  formatIn(timeZone).format(new Date(at));

/** `2026-11-21 04:32:50 UTC` */
export const utc = (at: string): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** How long to wait: `40 seconds`, `5 minutes`. It is never too short. */
export function waitInWords(milliseconds: number): string {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  const [value, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `${value} ${unit}${value === 1 ? '' : 's'}`;
}
