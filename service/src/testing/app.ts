import { pino } from 'pino';
import type { App, Routes, Scope } from '../callers/app-types.ts';
import { noCredentialCache } from '../callers/credential-cache.ts';
import type { Lookups } from '../changes/references.ts';
import { createConsoles } from '../consoles/hub.ts';
import type { Db } from '../db/connection.ts';
import { noNotifications } from '../db/notifications.ts';
import { createEventFeed } from '../events/feed.ts';
import { createHttpServer, type Serving } from '../http/server.ts';
import { createLimiter, type Limiter, type Limits } from '../limits/limiter.ts';
import { publicImageServer } from '../operating-systems/image-servers.ts';
import { findProjectNamed } from '../projects/queries.ts';
import { type AllDeps, lookups as allLookups } from '../routes.ts';
import { isCancellable } from '../servers/cancellation/cancellable.ts';
import { insertToken } from '../tokens/credential-queries.ts';
import { generateToken, tokenHash } from '../tokens/token.ts';
import { strictTargets } from '../webhooks/url.ts';
import { testKeyring } from './keys.ts';

export const testSecretKey = testKeyring();

const plenty = { burst: 1_000_000, perSecond: 1_000_000 };
/** High limits, because tests send requests faster than clients are allowed to. */
export const generousLimits: Limits = {
  reads: plenty,
  actions: plenty,
  failures: plenty,
  public: plenty,
  attempts: plenty,
  sign_in_starts: plenty,
  networks: plenty,
  accounts: plenty,
  strangers: plenty,
  changes: plenty,
  projects: plenty,
};

const log = pino({ enabled: false });

const consoleDeps = {
  credentials: noCredentialCache,
  notifications: noNotifications,
  engineOf: () => Promise.reject(new Error('There is no engine.')),
  log,
};

interface TestApp extends Partial<AllDeps>, Serving {
  limiter?: Limiter;
  lookups?: Lookups;
}

/** The HTTP server with these routes, on this database; nothing listens. */
export async function createTestApp(
  db: Db,
  routes: Routes<AllDeps>[],
  { limiter = createLimiter(generousLimits), lookups = allLookups, ...others }: TestApp = {},
): Promise<App> {
  const untilEnded = async () => undefined;
  const publicUrl = new URL('http://localhost:8080');
  const standard = {
    db,
    secretKey: testSecretKey,
    publicUrl,
    credentials: noCredentialCache,
    imageServers: [publicImageServer],
    healthChecks: async () => [],
    untilEnded,
    isCancellable,
    webhookTargets: strictTargets,
    consoles: others.consoles ?? createConsoles({ ...consoleDeps, db }),
    events: others.events ?? createEventFeed({ db, notifications: noNotifications, log }),
  };
  const deps = { ...standard, ...others };
  return await createHttpServer({ ...others, deps, routes, lookups, limiter });
}

interface TestToken {
  scopes?: Scope[];
  project?: string;
  expiresAt?: Date | null;
}

/** The headers of a new token, and its id. */
export async function createTestToken(db: Db, options: TestToken = {}) {
  const { scopes = ['admin'], project = 'default', expiresAt = null } = options;
  const projectId = await findProjectNamed(db, project);
  if (projectId === undefined) throw new Error(`There is no project ${project}.`);
  const token = generateToken();
  const hash = tokenHash(token);
  const id = await insertToken(db, { projectId, name: 'test', hash, scopes, expiresAt });
  return { id, token, projectId, headers: { authorization: `Bearer ${token}` } };
}
