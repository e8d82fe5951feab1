import { InvalidArgumentError } from '@commander-js/extra-typings';
import { usageFailure } from '../errors/failure.ts';
import type { Schemas } from '../schemas.ts';
import { none } from '../verbs/options.ts';

type Price = NonNullable<Schemas['Size']['price']>;

/** `0.0074 EUR`. Amounts are decimal numbers in text, which are never rounded. */
export const money = (amount: string, currency: string) => `${amount} ${currency}`;

/** `0.0074 EUR an hour, at most 4.59 EUR a month` */
export function priceInWords({ hourly, monthly, currency }: Price): string {
  const most = monthly === null ? '' : `, at most ${money(monthly, currency)} a month`;
  return `${money(hourly, currency)} an hour${most}`;
}

/** The sums of a statement, of which there is one for each currency. */
export const sums = (prices: readonly { currency: string; amount: string }[]): string =>
  prices.map(({ amount, currency }) => money(amount, currency)).join(' + ');

/** A decimal number, which stays text so that nothing rounds it. */
export function amount(text: string): string {
  if (/^\d+(\.\d+)?$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a decimal number, such as 4.59.');
}

/** An amount, or `none` for no limit. */
export const amountOrNone = (text: string): string | null =>
  text === 'none' ? none : amount(text);

interface PriceOptions {
  hourly?: string | undefined;
  monthly?: string | null | undefined;
  currency?: string | undefined;
}

export const changesPrice = (given: PriceOptions): boolean =>
  [given.hourly, given.monthly, given.currency].some((value) => value !== undefined);

/** The price that the options give, in which what they omit stays as it was. Undefined if they give none. */
export function priceOf(given: PriceOptions, before: Price | null = null): Price | undefined {
  if (!changesPrice(given)) return undefined;
  const hourly = given.hourly ?? before?.hourly;
  const currency = given.currency ?? before?.currency;
  if (hourly === undefined || currency === undefined) {
    throw usageFailure('A price is not complete.', 'A price needs --hourly and --currency.');
  }
  const monthly = given.monthly === undefined ? (before?.monthly ?? null) : given.monthly;
  return { hourly, monthly, currency };
}
