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

/** What all routes work with. */
export interface Deps {
  db: Db;
  /** The installation's keys, for what must not be read from the database alone. */
  secretKey: Keyring;
  /** Where browsers find the service. */
  publicUrl: URL;
  credentials: CredentialCache;
}

/** Adds routes to the API. Those of some nouns need more than `Deps`. */
export type Routes<D extends Deps = Deps> = (app: App, deps: D) => void;

export const scopes = ['servers:read', 'servers:write', 'metrics:read', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Who makes a request, what they may, and in which project: the one they named, or their own. */
export interface Caller {
  /** Null for a person who signed in. */
  tokenId: number | null;
  /** Who signed in, or whose token it is; null for a token that is nobody's. */
  userId: number | null;
  project: Project;
  scopes: readonly Scope[];
  expiresAt: string | null;
  /** CIDR; empty: any. */
  allowedNetworks: readonly string[];
}

/** Who signed in, in which session. */
export interface Person {
  userId: number;
  email: string;
  name: string;
  isAdmin: boolean;
  sessionId: number;
  sessionHash: Buffer;
  expiresAt: string;
  /** Whether they proved who they are within the last ten minutes. */
  isConfirmed: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What a token or a role must allow; a route without one can't be registered. `person` is for
     * anyone who signed in, whatever their roles.
     */
    scope?: Scope | 'person' | 'public';
    /**
     * In a session, for who proved within the last ten minutes who they are: what gives powers or a way in
     * that outlast the session, or takes them from others. Each route that changes something says whether it does:
     * work on servers and on the installation does not.
     */
    needsConfirmation?: boolean;
    /** For what is told of the process alone: a token that was good a while ago will do where nobody can say. */
    worksWithoutDatabase?: boolean;
    /** For probes and Prometheus, which ask by address, whatever BERTH_ALLOWED_HOSTS names. */
    answersAnyHost?: boolean;
    /** What the route can answer with, beyond what follows from its schemas (`openapi/route-schemas.ts`). */
    problems?: readonly ProblemCode[];
    /** Answers a person who is a member of no project, too, who then has no `caller`. */
    worksWithoutProject?: boolean;
    /** For a public route that refuses who can't prove who they are, or where nothing is set up. */
    canRefuse?: boolean;
    /** For a public route that begins a sign-in and lets nobody in: it is no try. */
    beginsSignIn?: boolean;
    /** For a public route with a large answer: as how many requests of its address it counts. */
    countsAs?: number;
    /** For a route that changes nothing though its method says otherwise, such as a dry run. */
    countsAsRead?: boolean;
    /** The media type of the answer, where it isn't JSON. */
    produces?: string;
  }
  interface FastifyRequest {
    /** Throws on public routes: they have none. */
    readonly caller: Caller;
    /** Throws but on routes whose scope is `person`. */
    readonly person: Person;
  }
}
