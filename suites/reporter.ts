import { relative, resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { fileOfGroupedTest, filesOf, isOfGroup } from './groups.ts';
import { append } from './results.ts';

/**
 * A reporter for `node --test`: a line for each file that has ended, and each failure with its
 * error. Appends both to the file of results, if the environment names one. The output of a file is
 * shown if it failed.
 */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const printed = new Map<string, string>();
  const grouped = new GroupedFiles();
  for await (const { type, data } of events) {
    if (type === 'test:dequeue') {
      const file = wholeFile(data);
      if (file !== undefined) append({ kind: 'began', file: shown(file) });
    } else if (type === 'test:start') {
      grouped.noteStart(data);
    } else if (type === 'test:stdout' || type === 'test:stderr') {
      printed.set(data.file, (printed.get(data.file) ?? '') + data.message);
    } else if (type === 'test:diagnostic' && data.file) {
      yield `       ${data.message}\n`;
    } else if (type === 'test:fail') {
      yield failure(data, grouped);
    } else if (type === 'test:summary' && data.file) {
      // Each file of a group is a test, too.
      const tests = data.counts.tests - (filesOf(data.file)?.length ?? 0);
      append({ kind: 'counted', file: shown(data.file), tests });
    } else if (type === 'test:complete') {
      const { passed, duration_ms: milliseconds } = data.details;
      if (resolve(data.name) === data.file) {
        if (!passed) yield printed.get(data.file) ?? '';
        grouped.appendUnended(data.file);
      }
      const file = wholeFile(data);
      if (file === undefined) continue;
      grouped.noteEnd(file);
      append({ kind: 'ended', file: shown(file), milliseconds });
      const seconds = (milliseconds / 1000).toFixed(1).padStart(6);
      yield `${passed ? 'ok    ' : 'FAILED'}${seconds} s  ${shown(file)}\n`;
    }
  }
}

/** A test or suite, as events describe it. */
interface Described {
  name: string;
  file?: string | undefined;
}

/**
 * The test file that a test stands for. Node.js reports each file as a test whose name is the given path, and a group
 * does so with each of its files. Undefined for other tests, and for a group itself.
 */
function wholeFile({ name, file }: Described): string | undefined {
  if (resolve(name) === file) return filesOf(file) ? undefined : name;
  return fileOfGroupedTest({ name, file });
}

/** Follows the files of groups, each of which runs its files one after the other. */
class GroupedFiles {
  /** By the path of the group. */
  readonly #current = new Map<string, string>();
  readonly #ended = new Set<string>();
  readonly #endedEarly = new Set<string>();

  noteStart(data: Described & { entryFile?: string }): void {
    const file = fileOfGroupedTest(data);
    if (file !== undefined && data.entryFile) this.#current.set(data.entryFile, file);
  }

  noteEnd(file: string): void {
    this.#ended.add(file);
  }

  /** The test file that an entry file runs: itself, or the current one of a group. */
  currentOf(entryFile: string): string {
    return this.#current.get(entryFile) ?? entryFile;
  }

  /** Whether the failure of a group is that of files which it has not run. */
  hasEndedEarly(path: string): boolean {
    return this.#endedEarly.has(path);
  }

  /** The rest of a group whose process has ended early has failed, so that it is run again. */
  appendUnended(path: string): void {
    for (const file of filesOf(path) ?? []) {
      if (this.#ended.has(file)) continue;
      this.#endedEarly.add(path);
      const message = 'The process of its group had ended.';
      append({ kind: 'failed', file: shown(file), test: '(the file)', message });
      append({ kind: 'ended', file: shown(file), milliseconds: 0 });
    }
  }
}

const shown = (path: string) => relative('.', path);

type FailedTest = Extract<TestEvent, { type: 'test:fail' }>['data'];

/** A test that failed only because of a subtest is omitted. */
function failure(data: FailedTest, grouped: GroupedFiles): string {
  const { name, file = '' } = data;
  const { error } = data.details;
  if ('failureType' in error && error.failureType === 'subtestsFailed') return '';
  if (grouped.hasEndedEarly(file)) return '';
  // A test that a helper declares belongs to the file that called it.
  const { entryFile = file } = data as { entryFile?: string };
  // What a group has left behind can be of any of its files.
  const ofFile = shown(resolve(name) === file ? file : grouped.currentOf(entryFile));
  const cause = error.cause ?? error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const isWhole = resolve(name) === file || isOfGroup(file);
  const test = isWhole ? '(the file)' : name;
  append({ kind: 'failed', file: ofFile, test, message });
  return `\nFAILED ${ofFile}: ${test}\n${inspect(cause)}\n\n`;
}
