import assert from 'node:assert/strict';
import type { InjectOptions } from 'fastify';
import type { App } from '../callers/app-types.ts';
import type { Db } from '../db/connection.ts';
import type { Role } from '../db/schema/people-schema.ts';
import { putMember } from '../projects/members/queries.ts';
import { insertProject } from '../projects/queries.ts';
import { hashPassword } from '../users/password.ts';
import { insertUser } from '../users/queries.ts';
import { inject } from './inject.ts';

export const goodPassword = 'copper-lantern-Tuesday-otter';

export interface Credentials {
  email: string;
  password: string;
}

interface TestUser {
  email?: string;
  password?: string | null;
  isAdmin?: boolean;
  /** Roles by the id of the project. */
  roles?: Record<number, Role>;
}

let made = 0;

export async function createTestUser(db: Db, options: TestUser = {}) {
  made += 1;
  const email = options.email ?? `person-${made}@example.com`;
  const { password = goodPassword, isAdmin = false, roles = {} } = options;
  const passwordHash = password === null ? null : await hashPassword(password);
  const id = await db.transaction().execute(async (trx) => {
    const userId = await insertUser(trx, { email, name: 'Test', passwordHash, isAdmin });
    for (const [projectId, role] of Object.entries(roles)) {
      await putMember(trx, { projectId: Number(projectId), userId, role });
    }
    return userId;
  });
  return { id, email, credentials: { email, password: password ?? '' } };
}

export async function createTestProject(db: Db, name: string): Promise<number> {
  const project = await db.transaction().execute((trx) => insertProject(trx, { name }));
  return project.id;
}

/** The `name=value` of a cookie that an answer sets. */
export function cookieOf(answer: { headers: Record<string, unknown> }, name = 'berth'): string {
  const set = [answer.headers['set-cookie']].flat().map(String);
  const cookie = set.find((text) => text.startsWith(`${name}=`));
  assert.ok(cookie, `sets no cookie ${name}: ${set}`);
  return cookie.split(';')[0] ?? '';
}

/** A browser in which a user has signed in, with the cookie and the CSRF token. */
export function browser(app: App, cookie: string, csrf: string) {
  const headers = { cookie, 'berth-csrf': csrf };
  const ask = (
    method: NonNullable<InjectOptions['method']>,
    url: string,
    { body, ...more }: { body?: unknown } & Record<string, unknown> = {},
  ) =>
    inject(app, {
      method,
      url: `/v1${url}`,
      headers: defined({ ...headers, ...more }),
      ...(body !== undefined && { payload: body as object }),
    });
  return { cookie, csrf, headers, ask };
}

function defined(headers: Record<string, unknown>): Record<string, string> {
  const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent.map(([name, value]) => [name, String(value)]));
}

export type Browser = ReturnType<typeof browser>;

export async function signInAs(app: App, credentials: Credentials): Promise<Browser> {
  const payload = credentials;
  const answer = await inject(app, { method: 'POST', url: '/v1/session', payload });
  assert.equal(answer.statusCode, 201, answer.body);
  return browser(app, cookieOf(answer), answer.json().csrf_token);
}

/**
 * The entries of the audit log for an action, the newest last. A refusal is entered after its
 * answer.
 */
export async function auditOf(db: Db, action: string) {
  return await db
    .selectFrom('audit_log')
    .selectAll()
    .where('action', '=', action)
    .orderBy('id')
    .execute();
}
