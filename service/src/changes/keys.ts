import type { FastifyRequest } from 'fastify';
import { callerOf } from '../access/authentication.ts';
import type { ChangeKeys } from '../limits/changes.ts';
import { userKey } from '../limits/credentials.ts';
import { aboutRequest } from './audit-entry.ts';

/** The caller of a change, and the project whose history it belongs to. */
interface Entered {
  userId: number | null;
  projectId: number | null;
}

/**
 * The limits to check before a change begins, when its result is unknown. Undefined for a sign-in,
 * and for a removal, which may take access away.
 */
export function keysBefore(request: FastifyRequest): ChangeKeys | undefined {
  const caller = callerKey(request);
  if (caller === undefined || request.method === 'DELETE') return undefined;
  const { config, url = '' } = request.routeOptions;
  // The change itself determines whether the caller can access the project in the path, and to which project the change
  // belongs.
  const isElsewhere = config.scope === 'person' || url.includes('/projects/');
  const projectId = isElsewhere ? null : (callerOf(request)?.project.id ?? null);
  return { caller, project: projectKey(request, projectId) };
}

/**
 * Sign-ins are counted separately: otherwise somebody with a stolen session could lock out its
 * user.
 */
export function keysOf(request: FastifyRequest, { userId, projectId }: Entered): ChangeKeys {
  const caller = callerKey(request) ?? `sign-ins of ${userId}`;
  return { caller, project: projectKey(request, projectId) };
}

function callerKey(request: FastifyRequest): string | undefined {
  const { tokenId, userId } = aboutRequest(request);
  if (tokenId !== null) return `token ${tokenId}`;
  return userId === null ? undefined : userKey(userId);
}

/** Tokens of a project can't lock administrators out of it. */
function projectKey(request: FastifyRequest, id: number | null): string | null {
  return id === null || aboutRequest(request).byAdministrator ? null : `project ${id}`;
}
