import type { components } from '@berth/client';
import { bytes, counted, percent } from '../format/units.ts';

export type Statement = components['schemas']['Statement'];
export type StatementServer = components['schemas']['StatementServer'];
export type Price = Statement['prices'][number];

const short = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });
const hours = (value: number) => `${short.format(value)} h`;
const gibibyteHours = (value: number) => `${short.format(value)} GiB·h`;

/** What a server uses in a month. */
const measures = {
  running: { name: 'Time running', of: (one) => one.hours_running, shown: hours },
  cpu: {
    name: 'CPU',
    of: (one) => one.core_hours,
    shown: (value) => `${short.format(value)} core·h`,
  },
  ram: { name: 'Memory', of: (one) => one.ram_gb_hours, shown: gibibyteHours },
  disk: { name: 'Disk', of: (one) => one.disk_gb_hours, shown: gibibyteHours },
  in: { name: 'Traffic in', of: (one) => one.bytes_in, shown: bytes },
  out: { name: 'Traffic out', of: (one) => one.bytes_out, shown: bytes },
} as const satisfies Record<
  string,
  { name: string; of: (server: StatementServer) => number; shown: (value: number) => string }
>;

export type Measure = keyof typeof measures;

export const usualMeasure: Measure = 'running';
export const allMeasures = Object.keys(measures) as Measure[];

export const measureChoices = allMeasures.map((value) => ({ value, label: measures[value].name }));

export const isMeasure = (word: unknown): word is Measure =>
  typeof word === 'string' && Object.hasOwn(measures, word);

export const nameOf = (measure: Measure): string => measures[measure].name;
export const amountOf = (server: StatementServer, measure: Measure): number =>
  measures[measure].of(server);
export const shownAs = (value: number, measure: Measure): string => measures[measure].shown(value);

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

/** What all servers used together. */
export const totalsOf = (servers: readonly StatementServer[]) =>
  allMeasures.map((measure) => {
    const total = sum(servers.map((one) => amountOf(one, measure)));
    return { measure, name: nameOf(measure), value: shownAs(total, measure) };
  });

/** The servers that used the most first. */
export const orderedBy = (servers: readonly StatementServer[], measure: Measure) =>
  servers.toSorted(
    (one, other) =>
      amountOf(other, measure) - amountOf(one, measure) || one.server_id - other.server_id,
  );

export interface Bar {
  id: number;
  name: string;
  /** `12.5 h (40 %)` */
  value: string;
  percent: number;
}

const mostBars = 10;

/** The part of each server, the highest first, with all beyond the first ten as one. */
export function barsOf(servers: readonly StatementServer[], measure: Measure): Bar[] {
  const used = orderedBy(servers, measure).filter((one) => amountOf(one, measure) > 0);
  const total = sum(used.map((one) => amountOf(one, measure)));
  const bar = (id: number, name: string, value: number): Bar => {
    const share = (value / total) * 100;
    return { id, name, value: `${shownAs(value, measure)} (${percent(share)})`, percent: share };
  };
  const rest = used.slice(mostBars);
  const bars = used
    .slice(0, mostBars)
    .map((one) => bar(one.server_id, one.hostname, amountOf(one, measure)));
  if (rest.length === 0) return bars;
  const name = counted(rest.length, 'other server');
  return [...bars, bar(0, name, sum(rest.map((one) => amountOf(one, measure))))];
}

/** `EUR 3.85`, with more digits for small amounts. */
export const price = ({ currency, amount }: Price): string =>
  new Intl.NumberFormat('en-GB', {
    ...{ style: 'currency', currency, currencyDisplay: 'code' },
    ...{ minimumFractionDigits: 2, maximumFractionDigits: Number(amount) < 1 ? 6 : 2 },
  }).format(Number(amount));

export const prices = (all: readonly Price[]): string => all.map(price).join(', ');
