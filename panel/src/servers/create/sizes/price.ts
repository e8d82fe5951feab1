import type { components } from '@berth/client';

type Price = NonNullable<components['schemas']['Size']['price']>;

/** What a server costs: `0.0074 EUR an hour, at most 4.59 EUR a month`. Amounts are shown as they are, without rounding. */
export function priceInWords({ hourly, monthly, currency }: Price): string {
  const most = monthly === null ? '' : `, at most ${monthly} ${currency} a month`;
  return `${hourly} ${currency} an hour${most}`;
}
