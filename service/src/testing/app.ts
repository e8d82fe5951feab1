import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import type { App, Deps, Routes, Scope } from '../http/app-types.ts';
import { createHttpServer } from '../http/server.ts';
import { findProject, insertToken } from '../tokens/credential-queries.ts';
import { generateToken, tokenHash } from '../tokens/token.ts';

export const testSecretKey = Buffer.alloc(32, 7);

/** The HTTP server with these routes, on this database; nothing listens. */
export async function createTestApp(
  db: Db,
  routes: Routes[],
  { log, ...others }: Partial<Deps> & { log?: Logger } = {},
): Promise<App> {
  const untilEnded = async () => undefined;
  const publicUrl = new URL('http://localhost:8080');
  const standard = { db, secretKey: testSecretKey, publicUrl, healthChecks: [], untilEnded };
  const deps = { ...standard, ...others };
  return await createHttpServer({ deps, routes, ...(log && { log }) });
}

interface TestToken {
  scopes?: Scope[];
  project?: string;
  expiresAt?: Date | null;
}

/** The headers of a new token, and its id. */
export async function createTestToken(db: Db, options: TestToken = {}) {
  const { scopes = ['admin'], project = 'default', expiresAt = null } = options;
  const projectId = await findProject(db, project);
  if (projectId === undefined) throw new Error(`There is no project ${project}.`);
  const token = generateToken();
  const hash = tokenHash(token);
  const id = await insertToken(db, { projectId, name: 'test', hash, scopes, expiresAt });
  return { id, token, projectId, headers: { authorization: `Bearer ${token}` } };
}
