import type { FastifyRequest } from 'fastify';
import { callerOf, refusedTokenOf } from '../access/authentication.ts';
import { aboutRequest } from '../changes/audit-entry.ts';
import type { Db } from '../db/connection.ts';
import { visibleProjects } from '../projects/members/visible-projects.ts';
import { findProject } from '../projects/queries.ts';
import { canonicalPath } from '../requests/api-path.ts';
import { findTokenInHistory } from '../tokens/credential-queries.ts';

/**
 * What an audit entry says of a refused request, and of who made it. Undefined where all that is known
 * of them is a token that there never was.
 */
export async function aboutRefusal(request: FastifyRequest, db: Db) {
  const about = aboutRequest(request);
  const hash = refusedTokenOf(request);
  if (!hash) return { ...about, projectId: await projectOfRefusal(request, db) };
  const token = await findTokenInHistory(db, hash);
  return token && { ...about, ...token };
}

/**
 * Whose history it belongs to: that of the project in the path, if they may know of it; else of the one
 * that they act in. What is about a person, or about the installation, belongs to none.
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
  return named !== undefined && visible.includes(named) ? named : caller.project.id;
}

function projectInPath({ url }: FastifyRequest): number | undefined {
  const [, id] = /^\/v1\/projects\/([1-9]\d{0,14})(?:\/|$)/.exec(canonicalPath(url)) ?? [];
  return id === undefined ? undefined : Number(id);
}
