import type { AuditEntry } from '../audit/entry-queries.ts';
import { addressKey } from '../limits/credentials.ts';

/**
 * What refusals have in common that are counted as one: all but the request, what its path names, and from
 * where a known caller asked. Where nobody is known, such as at a sign-in, the target is whom it was tried on,
 * and tells apart, as does the network: of IPv6 the /64, since anyone who has one has all its addresses.
 */
export function kindOf(entry: AuditEntry): string {
  const { requestId: _, target, details: __, address, ...alike } = entry;
  if (isKnown(entry)) return JSON.stringify(alike);
  return JSON.stringify({ ...alike, target, network: addressKey(address ?? '') });
}

/** Who was refused; of strangers, whom they tried to be. */
export function callerOf({ tokenId, userId, target }: AuditEntry): string {
  if (tokenId !== null) return `token ${tokenId}`;
  if (userId !== null) return `user ${userId}`;
  return target ? `strangers as ${target.kind} ${target.id}` : 'strangers as nobody';
}

/** Whose history it belongs to; what is of no project, to the caller's own, and that of strangers together. */
export function historyOf(entry: AuditEntry): string {
  if (entry.projectId !== null) return `project ${entry.projectId}`;
  return isKnown(entry) ? callerOf(entry) : 'strangers';
}

/** Of several the last one, without what they do not share. */
export function merged(one: AuditEntry, other: AuditEntry): AuditEntry {
  const shared = <T>(of: (entry: AuditEntry) => T) => (of(one) === of(other) ? of(other) : null);
  const isSameCaller = one.tokenId === other.tokenId && one.userId === other.userId;
  const isSameTarget =
    one.target?.kind === other.target?.kind && one.target?.id === other.target?.id;
  return {
    ...other,
    projectId: shared(({ projectId }) => projectId),
    tokenId: shared(({ tokenId }) => tokenId),
    userId: shared(({ userId }) => userId),
    byAdministrator: one.byAdministrator || other.byAdministrator,
    // Who may see it goes by whose it is (`audit/queries.ts`).
    address: isSameCaller ? other.address : null,
    target: isSameTarget ? other.target : null,
    code: shared(({ code }) => code) ?? undefined,
  };
}

function isKnown({ tokenId, userId }: AuditEntry): boolean {
  return tokenId !== null || userId !== null;
}
