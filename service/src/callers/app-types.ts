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
import type { Keyring } from '../keys/keyring.ts';
import type { ProblemCode } from '../problems/problem.ts';
import type { CredentialCache } from './credential-cache.ts';

/** The typed Fastify instance that route modules get. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** The dependencies of all routes. */
export interface Deps {
  db: Db;
  /** The keys of the installation, for values that the database alone must not reveal. */
  secretKey: Keyring;
  /** The URL of the service for browsers. */
  publicUrl: URL;
  credentials: CredentialCache;
}

/** Adds routes to the API. Those of some nouns need more than `Deps`. */
export type Routes<D extends Deps = Deps> = (app: App, deps: D) => void;

export const scopes = ['servers:read', 'servers:write', 'metrics:read', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** The caller of a request, with their permissions and the project: the requested one, or their own. */
export interface Caller {
  /** Null for a session. */
  tokenId: number | null;
  /** The user who signed in or owns the token; null if nobody owns it. */
  userId: number | null;
  project: Project;
  scopes: readonly Scope[];
  expiresAt: string | null;
  /** CIDR; empty means any. */
  allowedNetworks: readonly string[];
}

/** A user who signed in, and their session. */
export interface Person {
  userId: number;
  email: string;
  name: string;
  isAdmin: boolean;
  hasPassword: boolean;
  sessionId: number;
  sessionHash: Buffer;
  expiresAt: string;
  /** Whether they have confirmed their identity within the last ten minutes. */
  isConfirmed: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The scope that a token or a role must have; a route without one can't be registered. `person`
     * means anyone who signed in, whatever their roles.
     */
    scope?: Scope | 'person' | 'public';
    /**
     * Whether a session must have been confirmed within the last ten minutes, for a change that
     * grants access beyond the session or takes it from others. Each route that changes something
     * sets it; work on servers and on the installation does not need it.
     */
    needsConfirmation?: boolean;
    /**
     * For a route that only returns data of the process: while the database is unavailable, a token that was valid
     * before is accepted.
     */
    worksWithoutDatabase?: boolean;
    /** For probes and Prometheus, which use an address, whatever BERTH_ALLOWED_HOSTS says. */
    answersAnyHost?: boolean;
    /**
     * The errors of the route, in addition to those that follow from its schemas
     * (`openapi/route-schemas.ts`).
     */
    problems?: readonly ProblemCode[];
    /** Also allows a person who is not a member of any project; there is no `caller` then. */
    worksWithoutProject?: boolean;
    /**
     * For a public route that can refuse requests, because somebody failed to authenticate, or something is not
     * configured.
     */
    canRefuse?: boolean;
    /**
     * For a public route that starts a sign-in but authenticates nobody: it does not count as an
     * attempt.
     */
    beginsSignIn?: boolean;
    /** For a public route with a large answer: the number of requests as which it counts. */
    countsAs?: number;
    /** For a route that changes nothing in spite of its method, such as a dry run. */
    countsAsRead?: boolean;
    /** For a route whose dry run does as much work as its action, such as on many servers. */
    dryRunCountsAsAction?: boolean;
    /** For a path that contains a secret, which must not be in the log. */
    hasSecretPath?: boolean;
    /** The media types of the answer, if it is not only JSON. */
    produces?: string | readonly string[];
  }
  interface FastifyRequest {
    /** Throws on public routes. */
    readonly caller: Caller;
    /** Throws on routes whose scope is not `person`. */
    readonly person: Person;
  }
}
