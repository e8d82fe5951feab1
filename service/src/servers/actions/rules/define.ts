import type { ServerAction as Name } from '@berth/contract/server-actions';
import type { Static, TSchema } from 'typebox';
import type { Details } from '../../../audit/details.ts';
import type { Caller, Deps } from '../../../callers/app-types.ts';
import type { LastingSecret } from '../../../changes/accepted.ts';
import type { Change } from '../../../changes/change.ts';
import type { ServerStatus } from '../../../db/schema/schema.ts';
import type { OperationKind } from '../../../operations/define.ts';
import type { NewOperation, OperationRow } from '../../../operations/queries.ts';
import type { Problem, ProblemCode } from '../../../problems/problem.ts';
import type { ServerRow } from '../../queries.ts';

/**
 * The transaction and project in which an action is entered. Nothing takes effect until the commit.
 */
export type Place = Pick<Change, 'trx' | 'project'>;

/** The request of the client. */
interface Asked<Body, Query> {
  /** May be undefined if no field is required. */
  body: Body | (Partial<Body> extends Body ? undefined : never);
  query: Query;
  caller: Caller;
  /**
   * Throws for most requests that will be refused, before work that takes milliseconds of a processor. Only for actions that
   * supersede nothing. Undefined for an action on several servers.
   */
  refuseEarly?(): Promise<void>;
}

/** What is possible with a server, in addition to its status. */
export interface Circumstances {
  /** Whether its create failed, and can be retried. */
  retry: boolean;
  /** Whether its node was declared lost. */
  rebuild: boolean;
  /** Whether it is allowed to run; false if its traffic policy stops it. */
  run: boolean;
  isProtected: { delete: boolean; rebuild: boolean };
  suspended: boolean;
}

/** `Body` and `Query` are what their schemas describe. */
interface Definition<N extends Name, Wanted, Body, Query> {
  name: N;
  /** The kind of operation that carries it out. */
  operation: OperationKind;

  // Texts.
  summary: string;
  description: string;
  /** The message for an accepted request. */
  accepted: string;

  // Authorization and the form of the request.
  /** Defaults to `POST /servers/{id}/{name}`. */
  route?: { method: 'DELETE'; url: string };
  /** Defaults to `servers:write`. */
  scope?: 'admin';
  /** Whether the request needs a session that was confirmed lately. */
  needsConfirmation?: true;
  body?: TSchema;
  querystring?: TSchema;
  /** The schema of the response. Defaults to `Accepted`. */
  response?: TSchema;
  /** The error codes that are specific to this action. */
  problems: readonly ProblemCode[];
  /**
   * Converts the request to the argument of the functions below. Runs before the transaction, and not for a request that
   * was answered before.
   */
  read?(asked: Asked<Body, Query>, deps: Deps): Wanted | Promise<Wanted>;
  /** What was requested, and what it changes, for the audit log, without secrets. */
  details?(wanted: Wanted, before: ServerRow): Details;
  /** Secret fields of the response, which no other response has. */
  shown?(wanted: Wanted): Record<string, string> | undefined;
  /** Set if the error of a failed operation has them, too. */
  shownAfterFailure?: LastingSecret;

  // Conditions.
  /** The statuses of the server in which it is possible, while no operation is in progress. */
  from: readonly ServerStatus[];
  /** The status of the server after its operation has succeeded. By default it stays as it was. */
  to?: ServerStatus | 'deleted';
  /** Whether it is possible while the server is suspended. All others are refused then. */
  whileSuspended?: true;
  isPossible?(circumstances: Circumstances, status: ServerStatus): boolean;
  /** Refuses it in spite of the status, because of the parameters of the request. */
  excludes?(server: ServerRow, wanted: Wanted): boolean;
  /** The error for another status. By default, and if undefined: the server is not running. */
  refuse?(server: ServerRow): Problem | undefined;
  /** The kinds of operations that it supersedes, by the name that `as` returns. */
  supersedes?: Record<string, readonly string[]>;
  /** Whether it leaves an operation in progress although it supersedes operations of that kind. */
  spares?(operation: OperationRow): boolean;
  /** The key into `supersedes`. Defaults to the name of the action. */
  as?(wanted: Wanted): string;
  /** Whether a request returns the operation of the same kind that is in progress. */
  joins?: boolean;

  /** Throws if a rule forbids it whatever the status is, while no operation is in progress. */
  checkInAnyStatus?(change: Place, server: ServerRow): Promise<void>;
  /** Throws if another rule forbids it. */
  check?(change: Place, server: ServerRow, wanted: Wanted): Promise<void>;
  /**
   * Makes the changes that take effect at once. `superseded` is the operation whose place it takes. Returns the initial
   * values of its operation.
   */
  begin?(
    change: Place,
    server: ServerRow,
    wanted: Wanted,
    superseded: OperationRow | undefined,
  ): Promise<Partial<NewOperation>>;
}

/** An action on a server, which enters an operation. */
export type ServerAction<N extends Name, Wanted> = Definition<N, Wanted, unknown, unknown>;

// biome-ignore lint/suspicious/noExplicitAny: each action gets only what it has read itself.
export type AnyServerAction = ServerAction<Name, any>;

/** Defines an action, and checks the types of its request. */
export function defineServerAction<
  const N extends Name,
  Wanted = undefined,
  Body extends TSchema = TSchema,
  Query extends TSchema = TSchema,
>(
  definition: Definition<N, Wanted, NoInfer<Static<Body>>, NoInfer<Static<Query>>> & {
    body?: Body;
    querystring?: Query;
  },
): ServerAction<N, Wanted>;
export function defineServerAction(definition: AnyServerAction): AnyServerAction {
  return definition;
}
