const whole = new Intl.NumberFormat('en-GB');
const short = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });

/** `5,000` */
export const count = (value: number): string => whole.format(value);

/** `1 server`, `5,000 servers` */
export const counted = (value: number, one: string, several = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : several}`;

/** Memory, of which the API has MiB: `512 MiB`, `2 GiB`. */
export const memory = (mebibytes: number): string =>
  mebibytes < 1024 ? `${short.format(mebibytes)} MiB` : `${short.format(mebibytes / 1024)} GiB`;

/** A disk, of which the API has GiB: `20 GiB`, `1.5 TiB`. */
export const disk = (gibibytes: number): string =>
  gibibytes < 1024 ? `${short.format(gibibytes)} GiB` : `${short.format(gibibytes / 1024)} TiB`;

/** `12.5 %` */
export const percent = (value: number): string => `${short.format(value)} %`;

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Traffic, in decimal units as those of allowances: `734 MB`. */
export function bytes(value: number): string {
  let [left, unit] = [value, 0];
  while (left >= 1000 && unit < byteUnits.length - 1) {
    left /= 1000;
    unit += 1;
  }
  return `${short.format(left)} ${byteUnits[unit]}`;
}

interface Specifications {
  cpu: number;
  ram: number;
  disk: number;
}

/** `2 cores · 2 GiB · 20 GiB`: cores, memory and disk. */
export const specifications = (of: Specifications): string =>
  `${counted(of.cpu, 'core')} · ${memory(of.ram)} · ${disk(of.disk)}`;
