import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { databaseTime } from '../db/queries.ts';
import { pause } from '../pause.ts';
import { later, resolutions } from './history.ts';
import {
  deleteOldRuns,
  dropOldPartitions,
  ensurePartitions,
  madeUntil,
  rollUpNext,
} from './history-queries.ts';

const everyMilliseconds = 60_000;
/** From the end of a span to the last reading of it. */
const readingSeconds = 45;
const mostSpans = 400;

/** Makes the coarser history from the finer, and partitions for what comes; drops what is old. */
export async function keepHistory(db: Db, now: Date): Promise<void> {
  await ensurePartitions(db, now);
  let over = later(now, -readingSeconds);
  const [, ...coarser] = resolutions;
  for (const [index, to] of coarser.entries()) {
    const from = resolutions[index] ?? to;
    for (let spans = 0; spans < mostSpans; spans += 1) {
      if (!(await rollUpNext(db, { from, to }, over))) break;
    }
    // The next is made of rows that are made themselves; another replica may be at it.
    over = await madeUntil(db, to.stepSeconds);
  }
  await dropOldPartitions(db, now);
  await deleteOldRuns(db, now);
}

/** Now and each minute, until the signal aborts. Several replicas may; each span is made once. */
export async function keepHistoryOnTime(db: Db, log: Logger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await keepHistory(db, new Date(await databaseTime(db)));
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'The history of usage could not be kept.');
    }
    await pause(everyMilliseconds, signal);
  }
}
