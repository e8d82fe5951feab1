import type { StatementCharge } from '@berth/contract/statements';
import { decimalOf, dividedBy, millionthsOf, timesMillionths } from '../sizes/decimal.ts';

/** How long a server had a size at one of its prices, in a month. Numbers are decimal numbers in text. */
export interface PricedTime {
  size_id: number;
  size: string;
  currency: string;
  hourly: string;
  monthly: string | null;
  seconds: string;
}

type Sum = { currency: string; amount: string };

/**
 * What a server costs, given the times of its sizes in their order. A size costs at most its monthly price; if that has
 * changed, the highest so far. So no later change makes an hour cost more or less than it did.
 */
export function chargesOf(times: readonly PricedTime[]): StatementCharge[] {
  const spent = new Map<string, { total: bigint; most: bigint }>();
  return times.map(({ size_id, size, currency, hourly, monthly, seconds }) => {
    const key = `${size_id} ${currency}`;
    const before = spent.get(key) ?? { total: 0n, most: 0n };
    const hours = dividedBy(millionthsOf(seconds), 3600n);
    const total = before.total + timesMillionths(hours, millionthsOf(hourly));
    const most = monthly === null ? undefined : larger(before.most, millionthsOf(monthly));
    const limited = most !== undefined && total > most ? most : total;
    spent.set(key, { total: limited, most: most ?? limited });
    return {
      ...{ size_id, size, currency, price_hourly: hourly, price_monthly: monthly },
      hours: Number(hours) / 1e6,
      amount: decimalOf(limited - before.total),
    };
  });
}

const larger = (one: bigint, other: bigint) => (one > other ? one : other);

/** Adds up amounts by currency, exactly. */
export function createSums() {
  const sums = new Map<string, bigint>();
  return {
    add(amounts: readonly Sum[]): void {
      for (const { currency, amount } of amounts)
        sums.set(currency, (sums.get(currency) ?? 0n) + millionthsOf(amount));
    },
    /** Ordered by currency. */
    all: (): Sum[] =>
      [...sums]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([currency, sum]) => ({ currency, amount: decimalOf(sum) })),
  };
}

/** The sums of amounts, one for each currency. */
export function sumsOf(amounts: readonly Sum[]): Sum[] {
  const sums = createSums();
  sums.add(amounts);
  return sums.all();
}
