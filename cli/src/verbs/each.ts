import pLimit from 'p-limit';
import type { Cli } from '../cli.ts';
import { Reported } from '../errors/failure.ts';
import { report } from '../errors/report.ts';

/** More at once would only be refused: the usual limit of the service is five actions a second. */
export const mostAtOnce = 5;

/**
 * Does the work for each name, for some at the same time. If some fail, the others are done nevertheless, and the exit status is
 * that of the first failure.
 */
export async function each<T>(
  cli: Cli,
  names: readonly string[],
  work: (name: string) => Promise<T>,
): Promise<{ done: T[]; finish(): void }> {
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) {
    return { done: [await work(only)], finish: () => undefined };
  }
  const limit = pLimit(mostAtOnce);
  const outcomes = await Promise.allSettled(names.map((name) => limit(work, name)));
  const done = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = outcomes.flatMap((one, at) =>
    one.status === 'rejected' ? [{ name: names[at] ?? '', error: one.reason }] : [],
  );
  cli.io.signal.throwIfAborted();
  return {
    done,
    finish() {
      if (failed.length === 0) return;
      const [status = 1] = failed.map(({ name, error }) => report(cli, error, name));
      const errors = failed.map(({ error }) => error);
      throw new Reported(status, errors);
    },
  };
}
