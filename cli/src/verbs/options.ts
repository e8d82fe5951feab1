import {
  type Command,
  InvalidArgumentError,
  Option,
  type OptionValues,
} from '@commander-js/extra-typings';

/**
 * An option whose values are known. The shell completes them. One of several values takes them separated by spaces, or by
 * commas as in the API.
 */
export const choice = <const Flags extends string, const Value extends string>(
  flags: Flags,
  description: string,
  values: readonly Value[],
) => {
  const option = new Option(flags, description).choices(values);
  const read = option.parseArg as ((text: string, before: unknown) => unknown) | undefined;
  if (!option.variadic || !read) return option;
  const readAll = (text: string, before: unknown) =>
    text.split(',').reduce((all, one) => read(one, all), before);
  return option.argParser(readAll as NonNullable<typeof option.parseArg>) as typeof option;
};

/** Collects the values of an option that may be given several times. */
export const collected = (value: string, before: string[] | undefined) => [
  ...(before ?? []),
  value,
];

/** A whole number. */
export function whole(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('It must be a whole number, such as 4.');
}

/** A number that may have a fraction. */
export function decimal(text: string): number {
  const number = Number(text);
  if (/^\d+(\.\d+)?$/.test(text)) return number;
  throw new InvalidArgumentError('It must be a number, such as 4.5.');
}

const seconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** A longer timer of Node.js would end at once. */
const longestDays = 24;

/** How long to wait: a duration such as `30s`, `5m` or `1h`, in seconds. */
export function duration(text: string): number {
  const count = timeSpan(text);
  if (count <= longestDays * seconds.d) return count;
  throw new InvalidArgumentError(`It must be at most ${longestDays}d.`);
}

/** How often something is done: a duration that is not 0. */
export function pollingInterval(text: string): number {
  const count = duration(text);
  if (count > 0) return count;
  throw new InvalidArgumentError('It must be at least 1s.');
}

export const interval = (initial: number) =>
  new Option('--interval <duration>', 'how often to look')
    .argParser(pollingInterval)
    .default(initial, `${initial}s`);

/** How far back or ahead a time is, in seconds. It may be longer than a wait. */
export function timeSpan(text: string): number {
  const [, count, unit = 's'] = /^(\d+)([smhd])?$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('It must be like 30s, 5m, 1h or 1d.');
  return Number(count) * seconds[unit as keyof typeof seconds];
}

/** A time: a date, a time of RFC 3339, or a duration before now. */
export function pastTime(text: string): string {
  if (/^\d+[smhd]$/.test(text)) return new Date(Date.now() - timeSpan(text) * 1000).toISOString();
  return anyTime(text);
}

/** A time: a date, a time of RFC 3339, or a duration from now. */
export function futureTime(text: string): string {
  if (/^\d+[smhd]$/.test(text)) return new Date(Date.now() + timeSpan(text) * 1000).toISOString();
  return anyTime(text);
}

/** Without an offset, a time would depend on the time zone of the machine. */
const timeForm = /^(?<day>\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

function anyTime(text: string): string {
  const day = timeForm.exec(text)?.groups?.day;
  const time = new Date(day === undefined ? Number.NaN : text);
  if (day !== undefined && !Number.isNaN(time.getTime()) && isDay(day)) return time.toISOString();
  throw new InvalidArgumentError('It must be like 2026-11-27, 2026-11-27T18:00:00Z, 30m or 7d.');
}

/** 2026-02-31 would be a day in March. */
const isDay = (day: string) => new Date(day).toISOString().startsWith(day);

const sizeUnits = { '': 1, M: 1, G: 1024, T: 1024 ** 2 } as const;

/** A size of memory in MiB: `512`, `512M` or `2G`. */
export function memory(text: string): number {
  const [, count, unit = ''] = /^(\d+)([MGT])?(?:i?B)?$/i.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('It must be like 512, 512M or 2G.');
  return Number(count) * sizeUnits[unit.toUpperCase() as keyof typeof sizeUnits];
}

/** A size of a disk in GiB: `20`, `20G` or `1T`. */
export function diskSize(text: string): number {
  const [, count, unit = 'G'] = /^(\d+)([GT])?(?:i?B)?$/i.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('It must be like 20, 20G or 1T.');
  return Number(count) * (unit.toUpperCase() === 'T' ? 1024 : 1);
}

/** Stands for null in what options are read as, because Commander replaces null by an empty text. */
export const none = Symbol('none') as unknown as null;

/** The options, with null in place of each `none`. */
export const withNulls = <T extends object>(options: T): T =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, value === none ? null : value]),
  ) as T;

const byteUnits = { '': 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 } as const;

/** A number of bytes: `500G` or `2T`; or `none`. */
export function byteCount(text: string): number | null {
  if (text === 'none') return none;
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)([KMGT])?B?$/i.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('It must be like 500G, 2.5T or none.');
  return Math.round(Number(count) * byteUnits[unit.toUpperCase() as keyof typeof byteUnits]);
}

/** `yes` or `no`. */
export const yesOrNo = (text: string): boolean => {
  if (text === 'yes' || text === 'true') return true;
  if (text === 'no' || text === 'false') return false;
  throw new InvalidArgumentError('It must be yes or no.');
};

/** A number, or `none` for no limit. */
export const orNone =
  (read: (text: string) => number) =>
  (text: string): number | null =>
    text === 'none' ? none : read(text);

/** A whole number, or `none`. */
export const limitOrNone = orNone(whole);

/** The pairs `key=value` of an option that may be given several times. */
export function pairs(
  text: string,
  before: Record<string, string> | undefined,
): Record<string, string> {
  const [key = '', ...value] = text.split('=');
  if (key === '') throw new InvalidArgumentError('It must be like env=prod.');
  return { ...before, [key]: value.join('=') };
}

/** Adds the options of verbs that start an operation. */
export const waiting = <Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) =>
  command
    .option('--wait', 'wait until the operation has ended', true)
    .option('--no-wait', 'return as soon as the request was accepted')
    .option('--timeout <duration>', 'wait at most this long, such as 30s or 5m', duration);

/** Without the keys whose value is undefined: they are not sent, and the API has its default. */
export function defined<T extends object>(
  values: T,
): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Key in keyof T]: Exclude<T[Key], undefined> };
}
