import { readFileSync } from 'node:fs';
import type { Mutant } from './mutant.ts';

/** A change that no test has to notice, and why. */
export interface Explained {
  file: string;
  mutator: string;
  /** The text that was changed, with single spaces. */
  original: string;
  replacement: string;
  why: string;
}

/** Statuses of changes that a test noticed, by failing or by timing out. */
const noticed = new Set(['Killed', 'Timeout']);
/** Statuses of changes that do not count: they do not run, or were skipped. */
const void_ = new Set(['CompileError', 'RuntimeError', 'Ignored']);

export function explainedSurvivors(): Explained[] {
  return JSON.parse(readFileSync(new URL('survivors.json', import.meta.url), 'utf8'));
}

export interface Score {
  noticed: number;
  counted: number;
  /** Changes that no test noticed and that are not explained. */
  unexplained: Mutant[];
}

/** Explained mutants do not count. */
export function scoreOf(mutants: Mutant[], explained: Explained[]): Score {
  const counted = mutants.filter(
    (mutant) => !void_.has(mutant.status) && !isExplained(mutant, explained),
  );
  const unexplained = counted.filter(({ status }) => !noticed.has(status));
  return { noticed: counted.length - unexplained.length, counted: counted.length, unexplained };
}

/** The sum over several rooms. */
export const sumOf = (scores: Score[]): Score => ({
  noticed: scores.reduce((sum, { noticed: some }) => sum + some, 0),
  counted: scores.reduce((sum, { counted }) => sum + counted, 0),
  unexplained: scores.flatMap(({ unexplained }) => unexplained),
});

export const percent = ({ noticed: some, counted }: Score) =>
  counted === 0 ? 100 : Math.floor((1000 * some) / counted) / 10;

/** The percentage of changes that must be noticed. */
export const leastPercent = 90;

/** The score of a sample is too low if it is two standard deviations below that, which is unlikely to be chance. */
export function isTooLow({ noticed: some, counted }: Score, isSample: boolean): boolean {
  const least = leastPercent / 100;
  const deviation = isSample ? Math.sqrt(counted * least * (1 - least)) : 0;
  return some < counted * least - 2 * deviation;
}

function isExplained(mutant: Mutant, explained: Explained[]): boolean {
  return (
    !noticed.has(mutant.status) &&
    explained.some(
      ({ file, mutator, original, replacement }) =>
        file === mutant.file &&
        mutator === mutant.mutator &&
        original === mutant.original &&
        replacement === mutant.replacement,
    )
  );
}
