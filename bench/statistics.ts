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

/** A requirement on the ratio to the baseline, or on what was measured itself. */
export interface Target {
  of: 'ratio' | 'measured';
  least?: number;
  most?: number;
}

/** What a benchmark measured, and whether it meets its target. */
export interface Finding {
  /** What was measured, with its unit. */
  title: string;
  /** Without a baseline, the measured value alone is the result. */
  comparison: Comparison | { measured: Spread };
  target: Target;
  isMet: boolean;
}

const findings: Finding[] = [];

/** All that was concluded in this process. */
export const allFindings = (): readonly Finding[] => findings;

/** Prints a comparison, its ratio and its target. Returns whether the target is met. */
export function conclude(
  title: string,
  names: { baseline: string; measured: string },
  comparison: Comparison,
  target: Target,
): boolean {
  report(title, names, comparison);
  const value = target.of === 'ratio' ? comparison.ratio : comparison.measured.median;
  return judge({ title, comparison, target }, value, `ratio ${comparison.ratio.toFixed(2)}; `);
}

/** Prints a value that has no baseline, and its target. Returns whether the target is met. */
export function concludeAlone(
  title: string,
  values: number[],
  target: Omit<Target, 'of'>,
): boolean {
  const measured = spread(values);
  console.log(`\n${title}`);
  console.table({ Berth: rounded(measured) });
  const ofMeasured: Target = { ...target, of: 'measured' };
  return judge({ title, comparison: { measured }, target: ofMeasured }, measured.median, '');
}

function judge(finding: Omit<Finding, 'isMet'>, value: number, ratio: string): boolean {
  const { least = 0, most = Number.POSITIVE_INFINITY } = finding.target;
  const isMet = value >= least && value <= most;
  findings.push({ ...finding, isMet });
  console.log(`${ratio}target: ${inWords(finding.target)}: ${isMet ? 'met' : 'not met'}`);
  return isMet;
}

/** For example "a ratio of at most 0.45", or "at least 400". */
export function inWords({ of, least, most }: Target): string {
  const limit = least === undefined ? `at most ${most}` : `at least ${least}`;
  return of === 'ratio' ? `a ratio of ${limit}` : limit;
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
