import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { MutantResult } from '@stryker-mutator/api/core';

/** A change to the code, and its result. */
export interface Mutant {
  file: string;
  line: number;
  mutator: string;
  original: string;
  replacement: string;
  /** `Killed` and `Timeout` were noticed. */
  status: string;
}

/** A change and its result, from those of StrykerJS. */
export function mutantOf(result: MutantResult): Mutant {
  const { fileName, location, mutatorName, replacement, status } = result;
  return {
    file: relative(process.cwd(), fileName),
    line: location.start.line,
    mutator: mutatorName,
    original: singleSpaced(textAt(fileName, location)),
    replacement: singleSpaced(replacement ?? ''),
    status,
  };
}

const singleSpaced = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** Lines and columns are counted from 1; the end is the column after the last. */
export function textAt(file: string, { start, end }: MutantResult['location']): string {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = lines[last]?.slice(0, end.column - 1) ?? '';
  lines[0] = lines[0]?.slice(start.column - 1) ?? '';
  return lines.join('\n');
}
