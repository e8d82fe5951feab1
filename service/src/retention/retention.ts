import { eventDays } from '@berth/contract/events';
import { deliveryDays } from '@berth/contract/webhook-deliveries';
import type { Db } from '../db/connection.ts';
import { pause } from '../lib/pause.ts';
import {
  dropOutputs,
  projectsBeyondQuota,
  recordOutputSizes,
} from '../operations/output-queries.ts';
import { findSettings } from '../settings/queries.ts';
import { dropAuditPartitions, makeAuditPartitions, moveEarlierEntries } from './audit-queries.ts';
import { deleteOldEvents } from './event-queries.ts';
import { daysBefore, monthOf, monthsBefore } from './months.ts';
import { deleteOldOperations, expireOutputs } from './operation-queries.ts';
import { deleteDeletedWebhooks, deleteOldDeliveries } from './webhook-queries.ts';

/** The pause between two parts of the work, in which others can use the disk. */
const pauseMilliseconds = 20;

/** The numbers of what a round has removed. */
export interface Removed {
  audit_months: number;
  operations: number;
  outputs: number;
  /** Operations whose project was over its quota of outputs. */
  outputs_dropped: number;
  events: number;
  /** Deliveries to webhooks. */
  deliveries: number;
}

export interface RecordsObserver {
  removed(counts: Removed): void;
}

interface Round {
  /** The time of the database. */
  now: Date;
  /**
   * The time by which records count as old: `now`, unless the clock may have jumped. Null if
   * nothing counts as old yet.
   */
  oldBy: Date | null;
  signal: AbortSignal;
}

/**
 * Creates partitions for future months of the audit log, and removes records beyond their retention period, in small
 * parts. If one of these fails, the others still run, because the disk would fill up otherwise.
 */
export async function keepRecords(db: Db, { now, oldBy, signal }: Round): Promise<Removed> {
  const removed: Removed = {
    ...{ audit_months: 0, operations: 0, outputs: 0, outputs_dropped: 0 },
    ...{ events: 0, deliveries: 0 },
  };
  const kept = await findSettings(db);
  const oldestEntries = oldBy ? monthOf(monthsBefore(oldBy, kept.audit_months)) : new Date(0);
  const works: (() => Promise<unknown>)[] = [
    () => makeAuditPartitions(db, now),
    () => inBits(() => moveEarlierEntries(db, oldestEntries), signal),
    () => inBits(() => recordOutputSizes(db), signal),
    async () => {
      removed.outputs_dropped = await keepWithinQuotas(db, signal);
    },
    async () => {
      removed.deliveries += await inBits(() => deleteDeletedWebhooks(db), signal);
    },
    async () => {
      removed.audit_months = (await dropAuditPartitions(db, oldestEntries)).length;
    },
  ];
  if (oldBy) {
    works.push(
      async () => {
        const before = daysBefore(oldBy, kept.outputs_days);
        removed.outputs = await inBits(() => expireOutputs(db, before), signal);
      },
      async () => {
        const before = daysBefore(oldBy, eventDays);
        removed.events = await inBits(() => deleteOldEvents(db, before), signal);
      },
      async () => {
        const before = daysBefore(oldBy, deliveryDays);
        removed.deliveries += await inBits(() => deleteOldDeliveries(db, before), signal);
      },
      async () => {
        const before = monthsBefore(oldBy, kept.operations_months);
        removed.operations = await deleteOldOperations(db, before, signal);
      },
    );
  }
  const errors: unknown[] = [];
  for (const work of works) {
    if (signal?.aborted) break;
    await work().catch((error: unknown) => {
      errors.push(error);
    });
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Of the upkeep of records some failed.');
  return removed;
}

/**
 * Removes outputs beyond the quotas. The end of each operation does so for its project, unless that was interrupted or
 * the quota has changed since.
 */
async function keepWithinQuotas(db: Db, signal: AbortSignal): Promise<number> {
  let dropped = 0;
  for (const project of await projectsBeyondQuota(db)) {
    dropped += await inBits(() => dropOutputs(db, project), signal);
  }
  return dropped;
}

async function inBits(work: () => Promise<number>, signal: AbortSignal): Promise<number> {
  let done = 0;
  while (!signal?.aborted) {
    const part = await work();
    if (part === 0) break;
    done += part;
    await pause(pauseMilliseconds, signal);
  }
  return done;
}

/**
 * Returns the time by which records count as old. A clock that is years ahead for minutes must
 * delete nothing: it is trusted only as far as the previous round and the time since then confirm
 * it. So the first round of a process deletes nothing.
 */
export function trustedClock(elapsed = () => performance.now()) {
  let before: { now: number; at: number } | undefined;
  return (now: Date): Date | null => {
    const at = elapsed();
    const borneOut = before && before.now + (at - before.at);
    before = { now: now.getTime(), at };
    return borneOut === undefined ? null : new Date(Math.min(now.getTime(), borneOut));
  };
}
