import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { databaseTime } from '../../db/queries.ts';
import { defineReconciler, type Found } from '../../reconciler-runtime/define.ts';
import { coarserThan, later, resolutions } from './history.ts';
import { ensurePartitions, madeUntil, rollUpNext } from './history-queries.ts';
import { deleteOldRuns, dropOldPartitions } from './retention-queries.ts';

const everyMilliseconds = 60_000;
/** From the end of a span to its last reading. A later reading rolls it up again. */
const readingSeconds = 45;
const mostSpans = 400;

interface Upkeep {
  signal?: AbortSignal;
  log?: Logger;
}

/**
 * Rolls up the history, creates partitions for new rows, and drops old ones. If one of these fails,
 * the others still run: disks would fill up if nothing was dropped.
 */
export async function keepHistory(db: Db, now: Date, { signal, log }: Upkeep = {}): Promise<Found> {
  const made = { spans: 0 };
  const works = [
    () => ensurePartitions(db, now),
    async () => {
      made.spans = await makeCoarser(db, now, signal);
    },
    async () => {
      const lost = await dropOldPartitions(db, now);
      const partitions = lost.map(({ name }) => name);
      if (lost.length > 0)
        log?.error({ partitions }, 'Usage history was removed before it was aggregated.');
    },
    () => deleteOldRuns(db, now),
  ];
  const errors: unknown[] = [];
  for (const work of works) {
    if (signal?.aborted) return made;
    await work().catch((error: unknown) => {
      errors.push(error);
    });
  }
  if (errors.length > 1) throw new AggregateError(errors, 'Of the upkeep of history much failed.');
  if (errors.length > 0) throw errors[0];
  return made;
}

async function makeCoarser(db: Db, now: Date, signal?: AbortSignal): Promise<number> {
  let made = 0;
  let over = later(now, -readingSeconds);
  for (const from of resolutions) {
    const to = coarserThan(from);
    if (!to) return made;
    for (let spans = 0; spans < mostSpans && !signal?.aborted; spans += 1) {
      if (!(await rollUpNext(db, { from, to }, over))) break;
      made += 1;
    }
    // The next coarser rows are made from these. Another replica may be doing this.
    over = await madeUntil(db, to.stepSeconds);
  }
  return made;
}

/** Several services may run this at once: each span is rolled up once. */
export const usageHistory = defineReconciler<{ db: Db; log: Logger }>({
  name: 'usage-history',
  every: { milliseconds: everyMilliseconds, first: 'now', from: 'end' },
  failure: 'The maintenance of the usage history failed.',
  run: async ({ db, log }, _, { signal }) =>
    await keepHistory(db, new Date(await databaseTime(db)), { signal, log }),
});
