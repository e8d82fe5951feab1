import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Names the file to which the reporter appends events, a JSON object per line. */
export const resultsVariable = 'BERTH_TEST_RESULTS';

/** A test that failed, or a part without test files that did. */
export interface Failure {
  /** Relative to the root of the clone; the name of the part if it has no files. */
  file: string;
  test: string;
  message: string;
}

export type Line =
  | { kind: 'began'; file: string }
  | { kind: 'ended'; file: string; milliseconds: number }
  | { kind: 'counted'; file: string; tests: number }
  | ({ kind: 'failed' } & Failure);

export interface Results {
  files: { file: string; milliseconds: number }[];
  tests: number;
  failures: Failure[];
  /** Files that have started and not ended. */
  running: string[];
}

export function append(line: Line): void {
  const path = process.env[resultsVariable];
  if (path) appendFileSync(path, `${JSON.stringify(line)}\n`);
}

/** Reads what a reporter has appended so far. */
export function readResults(path: string): Results {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const lines = text
    .split('\n')
    .slice(0, -1)
    .map((line): Line => JSON.parse(line));
  const files = lines.filter((line) => line.kind === 'ended');
  const ended = new Set(files.map(({ file }) => file));
  const began = lines.filter((line) => line.kind === 'began').map(({ file }) => file);
  return {
    files,
    tests: lines.reduce((sum, line) => sum + (line.kind === 'counted' ? line.tests : 0), 0),
    failures: lines.filter((line) => line.kind === 'failed'),
    running: began.filter((file) => !ended.has(file)),
  };
}
