import { unlessSilent } from '../incus/transport/errors.ts';
import { askPatiently, longestSeconds, slowSeconds } from '../incus/transport/patience.ts';
import { type Known, nodesThatWere, setAnswered, setSilent } from '../nodes/seen-queries.ts';
import { requireBack } from './nodes.ts';
import type { Subject } from './truth.ts';

export interface MemberLooks {
  /** Asks those that were there, or those that were away, whether they are there. */
  run(since: 'online' | 'offline'): Promise<void>;
  /** Resolves when none is asked any more. */
  idle(): Promise<void>;
}

/**
 * Looks at each member of a cluster by itself, so that none waits for another, and enters which are
 * silent and which are slow. It costs one small call each. A member that was there is asked patiently; one
 * that was away is asked again while it may still answer, so that it is seen as soon as it is back.
 * @param changed told of one that has gone or is back: all is to be looked at then
 */
export function lookAtMembers(
  subject: Subject,
  changed: (to: 'online' | 'offline') => void,
  report: (error: unknown) => void,
): MemberLooks {
  const { client, db, locationId, signal } = subject;
  const underWay = new Map<Promise<void>, string>();

  async function lookAtOnline(name: string, known: Known): Promise<void> {
    const answered = await unlessSilent(
      askPatiently((options) => client.server.info(name, options), signal),
      signal,
    );
    if (answered) return await setAnswered(db, locationId, { ...known, ...answered });
    await setSilent(db, locationId, name, known.readAt);
    changed('offline');
  }

  async function lookAtOffline(name: string, known: Known): Promise<void> {
    const begun = performance.now();
    const asked = requireBack(subject, name, { timeoutSeconds: longestSeconds });
    const isBack = await unlessSilent(
      asked.then(() => true),
      signal,
    );
    if (!isBack) return;
    const isSlow = performance.now() - begun > slowSeconds * 1000;
    if (isSlow) await setAnswered(db, locationId, { ...known, isSlow });
    changed('online');
  }

  return {
    async run(since) {
      const look = since === 'online' ? lookAtOnline : lookAtOffline;
      for (const known of await nodesThatWere(db, locationId, since)) {
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
