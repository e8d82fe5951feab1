export interface Comparison {
  baseline: Spread;
  measured: Spread;
  /** The ratio of the medians. */
  ratio: number;
}

export interface Spread {
  median: number;
  least: number;
  most: number;
}

/** Medians, since a noisy machine makes single rounds slow. */
export function compare(baseline: number[], measured: number[]): Comparison {
  const [a, b] = [spread(baseline), spread(measured)];
  return { baseline: a, measured: b, ratio: b.median / a.median };
}

export function spread(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  const median = (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2;
  return { median, least: at(0), most: at(sorted.length - 1) };
}

/** Prints both in their unit. */
export function report(
  title: string,
  names: { baseline: string; measured: string },
  { baseline, measured }: Comparison,
): void {
  console.log(`\n${title}`);
  console.table({ [names.baseline]: rounded(baseline), [names.measured]: rounded(measured) });
}

function rounded({ median, least, most }: Spread) {
  const short = (value: number) => Number(value.toFixed(2));
  return { median: short(median), least: short(least), most: short(most) };
}

/** The value that this share of them, such as 0.99, does not exceed. */
export function percentile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN;
}
