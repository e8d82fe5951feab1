import { nullIfUnreachable } from '../incus/transport/errors.ts';
import { askPatiently, longestSeconds, slowSeconds } from '../incus/transport/patience.ts';
import {
  type Known,
  nodesWithStatus,
  recordAnswer,
  recordUnreachable,
} from '../nodes/seen-queries.ts';
import { requireReachable } from './nodes.ts';
import type { Subject } from './truth.ts';

export interface MemberProbes {
  /** Starts a probe of each member that is recorded as online, or of each that is recorded as offline. */
  run(since: 'online' | 'offline'): Promise<void>;
  /** Resolves when no probe is in progress. */
  idle(): Promise<void>;
}

/**
 * Probes each member of a cluster separately, so that none waits for another, and records which do not respond and
 * which are slow. A probe is a small call. A member that was online is called several times. One that was offline is
 * probed again while an earlier probe may still be waiting, so that its return is detected at once.
 * @param changed called when a member became unreachable or reachable, after which all instances should be synced
 */
export function createMemberProbes(
  subject: Subject,
  changed: (to: 'online' | 'offline') => void,
  report: (error: unknown) => void,
): MemberProbes {
  const { client, db, locationId, signal } = subject;
  const underWay = new Map<Promise<void>, string>();

  async function probeOnline(name: string, known: Known): Promise<void> {
    const answered = await nullIfUnreachable(
      askPatiently((options) => client.server.info(name, options), signal),
      signal,
    );
    if (answered) return await recordAnswer(db, locationId, { ...known, ...answered });
    await recordUnreachable(db, locationId, name, known.readAt);
    changed('offline');
  }

  async function probeOffline(name: string, known: Known): Promise<void> {
    const begun = performance.now();
    const asked = requireReachable(subject, name, { timeoutSeconds: longestSeconds });
    const isBack = await nullIfUnreachable(
      asked.then(() => true),
      signal,
    );
    if (!isBack) return;
    const isSlow = performance.now() - begun > slowSeconds * 1000;
    if (isSlow) await recordAnswer(db, locationId, { ...known, isSlow });
    changed('online');
  }

  return {
    async run(since) {
      const look = since === 'online' ? probeOnline : probeOffline;
      for (const known of await nodesWithStatus(db, locationId, since)) {
        const { member } = known;
        if (member === null) continue;
        if (since === 'online' && [...underWay.values()].includes(member)) continue;
        const one = look(member, known)
          .catch(report)
          .finally(() => underWay.delete(one));
        underWay.set(one, member);
      }
    },
    async idle() {
      await Promise.all(underWay.keys());
    },
  };
}
