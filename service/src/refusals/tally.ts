import type { AuditAction } from '@berth/contract/actions';
import type { AuditEntry } from '../audit/entry-queries.ts';
import { merged } from './kinds.ts';

/** The maximum number of addresses that are distinguished. */
export const maxAddresses = 1000;

const severalActions: AuditAction = 'requests_refused';

/** Refusals that become one entry. Times are those of `performance.now()`. */
export interface Tally {
  entry: AuditEntry;
  count: number;
  firstAt: number;
  lastAt: number;
  addresses: Set<string>;
  /** The number of refusals of each action. */
  actions: Map<string, number>;
}

export function tallyOf(entry: AuditEntry): Tally {
  const now = performance.now();
  return {
    ...{ entry, count: 1, firstAt: now, lastAt: now },
    addresses: new Set(entry.address === null ? [] : [entry.address]),
    actions: new Map([[entry.action, 1]]),
  };
}

/** Adds later refusals to earlier ones. Both may be undefined. */
export function joined(one: Tally | undefined, other: Tally | undefined): Tally | undefined {
  if (!one || !other) return one ?? other;
  for (const address of other.addresses) {
    if (one.addresses.size < maxAddresses) one.addresses.add(address);
  }
  for (const [action, count] of other.actions) {
    one.actions.set(action, (one.actions.get(action) ?? 0) + count);
  }
  one.entry = merged(one.entry, other.entry);
  one.count += other.count;
  one.lastAt = other.lastAt;
  return one;
}

export function entryOf({ entry, count, firstAt, lastAt, addresses, actions }: Tally): AuditEntry {
  const now = performance.now();
  const secondsSince = (at: number) => (now - at) / 1000;
  return {
    ...entry,
    ...(actions.size > 1 && {
      action: severalActions,
      details: { actions: Object.fromEntries(actions) },
    }),
    counted: {
      count,
      addresses: addresses.size,
      firstSecondsAgo: secondsSince(firstAt),
      lastSecondsAgo: secondsSince(lastAt),
    },
  };
}
