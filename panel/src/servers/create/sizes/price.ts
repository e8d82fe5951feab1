import type { components } from '@berth/client';

type Price = NonNullable<components['schemas']['Size']['price']>;

/** What a server costs: `0.0074 EUR an hour, at most 4.59 EUR a month`. Amounts are shown as they are, without rounding. */
export function priceInWords(price: Price): string {
  const { most, usual } = priceParts(price);
  return most ? `${usual}, ${most}` : usual;
}

/** The parts of a price: the most that a month can cost, if there is such a limit, and an hour. */
export const priceParts = ({ hourly, monthly, currency }: Price) => ({
  most: monthly === null ? undefined : `at most ${monthly} ${currency} a month`,
  usual: `${hourly} ${currency} an hour`,
});
