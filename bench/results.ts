import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Finding, spread } from './statistics.ts';

// The results of earlier runs of the overview, one per line.

const file = fileURLToPath(new URL('results.jsonl', import.meta.url));

export interface Run {
  at: string;
  commit: string;
  /** By title: the ratio, or what was measured if there is no baseline. */
  results: Record<string, number>;
}

/** The number of earlier runs that a result is compared with. */
const comparedRuns = 5;
/** Results of single runs differ by up to a fifth on an idle machine. */
const slowerFactor = 1.3;

export function earlierRuns(): Run[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Run);
}

export function recordRun(findings: readonly Finding[]): void {
  const results = Object.fromEntries(findings.map((each) => [each.title, resultOf(each)]));
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const run: Run = { at: new Date().toISOString().slice(0, 10), commit, results };
  appendFileSync(file, `${JSON.stringify(run)}\n`);
  console.log('This run was added to bench/results.jsonl.');
}

/** The median result of the last runs; undefined if none of them measured it. */
export function usualResult(title: string, runs: readonly Run[]): number | undefined {
  const values = runs.flatMap(({ results }) => results[title] ?? []).slice(-comparedRuns);
  return values.length === 0 ? undefined : spread(values).median;
}

/** Whether a result is clearly worse than usual. */
export function isSlower(finding: Finding, runs: readonly Run[]): boolean {
  const usual = usualResult(finding.title, runs);
  if (usual === undefined) return false;
  const result = resultOf(finding);
  const isMoreBetter = finding.target.least !== undefined;
  return isMoreBetter ? result * slowerFactor < usual : result > usual * slowerFactor;
}

function resultOf({ comparison }: Finding): number {
  return short('ratio' in comparison ? comparison.ratio : comparison.measured.median);
}

/** With three digits. */
export const short = (value: number) => Number(value.toPrecision(3));
