import type { FastifyRequest } from 'fastify';
import { callerOf, refusedTokenOf } from '../access/authentication.ts';
import { aboutRequest } from '../changes/audit-entry.ts';
import type { Db } from '../db/connection.ts';
import { visibleProjects } from '../projects/members/visible-projects.ts';
import { findProject } from '../projects/queries.ts';
import { canonicalPath } from '../requests/api-path.ts';
import { findTokenInHistory } from '../tokens/credential-queries.ts';

/**
 * The audit entry of a refused request and its caller. Undefined if the caller is only known by a
 * token that never existed.
 */
export async function aboutRefusal(request: FastifyRequest, db: Db) {
  const about = aboutRequest(request);
  const hash = refusedTokenOf(request);
  if (!hash) return { ...about, projectId: await projectOfRefusal(request, db) };
  const token = await findTokenInHistory(db, hash);
  return token && { ...about, ...token };
}

/**
 * The project whose history it belongs to: the one in the path, if the caller can see it; otherwise that of the
 * request. Refusals about a user or the installation belong to none.
 */
async function projectOfRefusal(request: FastifyRequest, db: Db): Promise<number | null> {
  const caller = callerOf(request);
  const { scope } = request.routeOptions.config;
  if (!caller || scope === 'person') return null;
  const named = projectInPath(request);
  const visible = await visibleProjects(db, caller);
  if (visible === 'all') {
    if (named !== undefined) return (await findProject(db, named))?.id ?? null;
    return scope === 'admin' ? null : caller.project.id;
  }
  return visible.find((id) => id === named) ?? caller.project.id;
}

function projectInPath({ url }: FastifyRequest): number | undefined {
  const [, id] = /^\/v1\/projects\/([1-9]\d{0,14})(?:\/|$)/.exec(canonicalPath(url)) ?? [];
  return id === undefined ? undefined : Number(id);
}
