import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { allFindings, type Finding, inWords } from './statistics.ts';

/** The results of earlier runs, one per line. */
const file = fileURLToPath(new URL('results.jsonl', import.meta.url));

interface Run {
  at: string;
  commit: string;
  /** By title: the ratio, or what was measured if there is no baseline. */
  results: Record<string, number>;
}

/**
 * Prints all findings in one table, beside those of the last recorded run, and adds this run to the record. A result
 * without a baseline depends on the machine.
 */
export function overview(): void {
  const before = lastRun();
  const rows = allFindings().map((finding) => {
    const { title, comparison, target, isMet } = finding;
    const baseline = 'baseline' in comparison ? short(comparison.baseline.median) : '';
    const earlier = before?.results[title];
    return [
      title,
      {
        ...{ Berth: short(comparison.measured.median), baseline },
        ratio: 'ratio' in comparison ? comparison.ratio.toFixed(2) : '',
        ...{ 'asked for': inWords(target), met: isMet ? 'yes' : 'no' },
        ...(before && { [before.commit]: earlier === undefined ? '' : short(earlier) }),
      },
    ];
  });
  console.log(`\nAll results${before ? `, and those of ${before.commit} (${before.at})` : ''}:`);
  console.table(Object.fromEntries(rows));
  record();
}

function record(): void {
  const results = Object.fromEntries(allFindings().map((each) => [each.title, resultOf(each)]));
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const run: Run = { at: new Date().toISOString().slice(0, 10), commit, results };
  appendFileSync(file, `${JSON.stringify(run)}\n`);
  console.log(`This run was added to bench/results.jsonl.`);
}

function resultOf({ comparison }: Finding): number {
  return Number(short('ratio' in comparison ? comparison.ratio : comparison.measured.median));
}

function lastRun(): Run | undefined {
  if (!existsSync(file)) return undefined;
  const line = readFileSync(file, 'utf8').trim().split('\n').at(-1);
  return line ? (JSON.parse(line) as Run) : undefined;
}

const short = (value: number) => String(Number(value.toPrecision(3)));
