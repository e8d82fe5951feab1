import { ExplainedError } from '../api/words.ts';
import { textOf } from './forms.ts';

// In decimal units, like the allowances that servers show, and as the command line takes them.

const units = { '': 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 } as const;
type Unit = keyof typeof units;

/** Bytes that somebody has entered, such as `500G`, `1.5 TB` or `2000000`. Null for an empty field. */
export function trafficOf(form: FormData, name: string): number | null {
  const text = textOf(form, name);
  if (text === '') return null;
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?) ?([KMGT])?B?$/i.exec(text) ?? [];
  // A number that is none would be sent as null, and would mean no limit.
  if (amount === undefined) throw new ExplainedError('Enter the traffic as 500G or 2T.');
  return Math.round(Number(amount) * units[unit.toUpperCase() as Unit]);
}

/** The same as a text that can be entered, which is exact: `500G`, `1.5T`. Empty for none. */
export function trafficText(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return '';
  const unit = (['T', 'G', 'M', 'K'] as const).find(
    (one) => bytes >= units[one] && Number.isInteger((bytes * 1000) / units[one]),
  );
  return unit ? `${bytes / units[unit]}${unit}` : String(bytes);
}
