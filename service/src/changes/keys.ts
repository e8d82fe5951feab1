import type { FastifyRequest } from 'fastify';
import { callerOf } from '../access/authentication.ts';
import type { ChangeKeys } from '../limits/changes.ts';
import { userKey } from '../limits/credentials.ts';
import { aboutRequest } from './audit-entry.ts';

/** Of the entry of a change: who made it, and whose history it belongs to. */
interface Entered {
  userId: number | null;
  projectId: number | null;
}

/**
 * By what a change is counted before it is known what it comes to. Undefined of who is yet to sign in, and of a
 * removal, which may be that of somebody's access.
 */
export function keysBefore(request: FastifyRequest): ChangeKeys | undefined {
  const caller = callerKey(request);
  if (caller === undefined || request.method === 'DELETE') return undefined;
  const { config, url = '' } = request.routeOptions;
  // Whether a project in the path may be known of, and which one a change is in, is told by the change.
  const isElsewhere = config.scope === 'person' || url.includes('/projects/');
  const projectId = isElsewhere ? null : (callerOf(request)?.project.id ?? null);
  return { caller, project: projectKey(request, projectId) };
}

/** Who signs in is counted apart: whoever holds a session of theirs could else keep them out. */
export function keysOf(request: FastifyRequest, { userId, projectId }: Entered): ChangeKeys {
  const caller = callerKey(request) ?? `sign-ins of ${userId}`;
  return { caller, project: projectKey(request, projectId) };
}

function callerKey(request: FastifyRequest): string | undefined {
  const { tokenId, userId } = aboutRequest(request);
  if (tokenId !== null) return `token ${tokenId}`;
  return userId === null ? undefined : userKey(userId);
}

/** Administrators are not kept from a project by what its own tokens do. */
function projectKey(request: FastifyRequest, id: number | null): string | null {
  return id === null || aboutRequest(request).byAdministrator ? null : `project ${id}`;
}
