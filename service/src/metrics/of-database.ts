import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { withoutClaim } from '../db/queue/claim.ts';

/** Longer than the timeout of the database, and shorter than that of Prometheus. */
const answerMs = 5000;

/** Figures of the database, and the metrics that show them. */
export interface Reading {
  /** Reads the metrics. Returns a function that publishes them. */
  read(): Promise<() => void>;
  /** Metrics that can't be read are removed, and do not show an old value or zero. */
  clear(): void;
}

/**
 * Returns a function that reads all of them within seconds. Metrics that take longer are omitted.
 */
export function readerOf(registry: Registry, readings: Reading[], log?: Logger) {
  const up = new Gauge({
    name: 'berth_database_up',
    help: '1 if this service could read the metrics of the database, otherwise 0; they are then omitted.',
    registers: [registry],
  });
  const report = (error: unknown) =>
    log?.warn({ err: error }, 'The database could not be read for the metrics.');
  const inTime = readings.map(({ read }) => oneAtATime(read, report));
  /** @param isAllowed without it, nothing is read */
  return async (isAllowed: boolean): Promise<void> => {
    const found = await Promise.all(isAllowed ? inTime.map((read) => read()) : []);
    // All are published at once, so that concurrent readers see a consistent set.
    for (const reading of readings) reading.clear();
    for (const show of found) show?.();
    up.set(isAllowed && found.every((show) => show !== undefined) ? 1 : 0);
  };
}

/**
 * Returns undefined if the read is not done in time. Concurrent calls share one read, and no other
 * one starts while it is late.
 */
function oneAtATime<T>(read: () => Promise<T>, report: (error: unknown) => void) {
  let begun = 0;
  let underWay: Promise<T | undefined> | undefined;
  async function start(): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      report(error);
      return undefined;
    } finally {
      underWay = undefined;
    }
  }
  return async (): Promise<T | undefined> => {
    if (!underWay) {
      begun = performance.now();
      // The next caller also gets it.
      underWay = withoutClaim(start);
    }
    const left = begun + answerMs - performance.now();
    if (left <= 0) return undefined;
    return await Promise.race([underWay, sleep(left, undefined, { ref: false })]);
  };
}
