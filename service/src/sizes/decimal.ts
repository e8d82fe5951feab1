// Amounts of money, and what they are multiplied by, are whole numbers of millionths. Floating-point numbers would not
// sum exactly.

const million = 1_000_000n;

/** The millionths of a decimal number in text, such as `4.59`. Throws unless it has at most six decimals. */
export function millionthsOf(text: string): bigint {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (whole === undefined) throw new RangeError(`${text} is no decimal number of six decimals.`);
  return BigInt(whole) * million + BigInt(fraction.padEnd(6, '0'));
}

/** The decimal number in text, with two decimals at least: `4.50`, `0.0074`. */
export function decimalOf(millionths: bigint): string {
  const fraction = String(millionths % million).padStart(6, '0');
  return `${millionths / million}.${fraction.replace(/0{1,4}$/, '')}`;
}

/** The quotient of two numbers that are not negative, rounded half up. */
export function dividedBy(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

/** The product of two numbers of millionths, rounded half up. */
export const timesMillionths = (one: bigint, other: bigint) => dividedBy(one * other, million);
