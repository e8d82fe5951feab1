import type { AuditEntry } from '../audit/entry-queries.ts';
import { addressKey } from '../limits/credentials.ts';

/**
 * The common properties of refusals that are aggregated: everything except the request, the names
 * in its path, and the address of a known caller. For an unknown caller, as at a sign-in, the target is the attempted
 * user, and the network is also distinguished: for IPv6 the /64, since one customer has all of it.
 */
export function kindOf(entry: AuditEntry): string {
  const { requestId: _, target, details: __, address, ...alike } = entry;
  if (isKnown(entry)) return JSON.stringify(alike);
  return JSON.stringify({ ...alike, target, network: addressKey(address ?? '') });
}

/** The caller that was refused; for an unknown one, the attempted user. */
export function callerOf({ tokenId, userId, target }: AuditEntry): string {
  if (tokenId !== null) return `token ${tokenId}`;
  if (userId !== null) return `user ${userId}`;
  return target ? `strangers as ${target.kind} ${target.id}` : 'strangers as nobody';
}

/**
 * The history that it belongs to. Refusals without a project belong to the caller's own history,
 * and those of unknown callers to a common one.
 */
export function historyOf(entry: AuditEntry): string {
  if (entry.projectId !== null) return `project ${entry.projectId}`;
  return isKnown(entry) ? callerOf(entry) : 'strangers';
}

/** The last of several entries, without the values that they do not have in common. */
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
    // The visibility of an entry depends on its caller (`audit/queries.ts`).
    address: isSameCaller ? other.address : null,
    target: isSameTarget ? other.target : null,
    code: shared(({ code }) => code) ?? undefined,
  };
}

function isKnown({ tokenId, userId }: AuditEntry): boolean {
  return tokenId !== null || userId !== null;
}
