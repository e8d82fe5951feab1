import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Db } from '../db/connection.ts';
import type { Project } from '../db/project.ts';
import type { HealthCheck } from '../health/checks.ts';
import type { OperationWaiter } from '../operations/waiter.ts';

/** The typed Fastify instance that route modules get. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** What routes work with. */
export interface Deps {
  db: Db;
  /** The installation's key, for what must not be read from the database alone. */
  secretKey: Buffer;
  healthChecks: HealthCheck[];
  untilEnded: OperationWaiter;
}

export type Routes = (app: App, deps: Deps) => void;

export const scopes = ['servers:read', 'servers:write', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Who makes a request, and in which project: the token's own, or the one that an admin named. */
export interface Caller {
  tokenId: number;
  project: Project;
  scopes: readonly Scope[];
  expiresAt: string | null;
  /** CIDR; empty: any. */
  allowedNetworks: readonly string[];
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a token must allow; a route without one can't be registered. */
    scope?: Scope | 'public';
    /** The media type of the answer, where it isn't JSON. */
    produces?: string;
  }
  interface FastifyRequest {
    /** Throws on public routes: they have none. */
    readonly caller: Caller;
  }
}
