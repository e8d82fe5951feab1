import { earlierRuns, isSlower, recordRun, short, usualResult } from './results.ts';
import { allFindings, inWords } from './statistics.ts';

/**
 * Prints all findings in one table, beside the usual results of earlier runs, and adds this run to the record. A result
 * without a baseline depends on the machine. Returns whether none is slower than usual.
 */
export function overview(): boolean {
  const runs = earlierRuns();
  const findings = allFindings();
  const rows = findings.map((finding) => {
    const { title, comparison, target, isMet } = finding;
    const usual = usualResult(title, runs);
    return [
      title,
      {
        Berth: short(comparison.measured.median),
        baseline: 'baseline' in comparison ? short(comparison.baseline.median) : '',
        ratio: 'ratio' in comparison ? comparison.ratio.toFixed(2) : '',
        ...{ 'asked for': inWords(target), met: isMet ? 'yes' : 'no' },
        ...(runs.length > 0 && { usually: usual === undefined ? '' : short(usual) }),
      },
    ];
  });
  console.log('\nAll results, and their medians of the last five runs:');
  console.table(Object.fromEntries(rows));
  const slower = findings.filter((finding) => isSlower(finding, runs));
  for (const { title } of slower) console.log(`Slower than usual by more than 1.3 times: ${title}`);
  recordRun(findings);
  return slower.length === 0;
}
