import { relative, resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { append } from './results.ts';

/**
 * A reporter for `node --test`: a line for each file that has ended, and each failure with its
 * error. Appends both to the file of results, if the environment names one. The output of a file is
 * shown if it failed.
 */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const printed = new Map<string, string>();
  for await (const { type, data } of events) {
    if (type === 'test:dequeue' && isWholeFile(data)) {
      append({ kind: 'began', file: shown(data.name) });
    } else if (type === 'test:stdout' || type === 'test:stderr') {
      printed.set(data.file, (printed.get(data.file) ?? '') + data.message);
    } else if (type === 'test:diagnostic' && data.file) {
      yield `       ${data.message}\n`;
    } else if (type === 'test:fail') {
      yield failure(data);
    } else if (type === 'test:summary' && data.file) {
      append({ kind: 'counted', file: shown(data.file), tests: data.counts.tests });
    } else if (type === 'test:complete' && isWholeFile(data)) {
      const { passed, duration_ms: milliseconds } = data.details;
      append({ kind: 'ended', file: shown(data.name), milliseconds });
      if (!passed) yield printed.get(resolve(data.name)) ?? '';
      const seconds = (milliseconds / 1000).toFixed(1).padStart(6);
      yield `${passed ? 'ok    ' : 'FAILED'}${seconds} s  ${shown(data.name)}\n`;
    }
  }
}

/** Node.js reports each file as a test whose name is the given path. */
const isWholeFile = ({ name, file }: { name: string; file?: string | undefined }) =>
  resolve(name) === file;

const shown = (path: string) => relative('.', path);

type FailedTest = Extract<TestEvent, { type: 'test:fail' }>['data'];

/** A test that failed only because of a subtest is omitted. */
function failure({ name, file = '', details: { error }, ...data }: FailedTest): string {
  if ('failureType' in error && error.failureType === 'subtestsFailed') return '';
  // A test that a helper declares belongs to the file that called it.
  const { entryFile = file } = data as { entryFile?: string };
  const cause = error.cause ?? error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const test = isWholeFile({ name, file }) ? '(the file)' : name;
  append({ kind: 'failed', file: shown(entryFile), test, message });
  return `\nFAILED ${shown(entryFile)}: ${test}\n${inspect(cause)}\n\n`;
}
