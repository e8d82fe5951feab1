import type { ServerAction as Name } from '@berth/contract/server-actions';
import type { Static, TSchema } from 'typebox';
import type { Caller, Deps } from '../../callers/app-types.ts';
import type { Change } from '../../changes/change.ts';
import type { ServerStatus } from '../../db/schema/schema.ts';
import type { OperationKind } from '../../operations/define.ts';
import type { NewOperation } from '../../operations/queries.ts';
import type { Problem, ProblemCode } from '../../problems/problem.ts';
import type { ServerRow } from '../queries.ts';

/** Where an action is entered: nothing of it holds until the transaction commits. */
export type Place = Pick<Change, 'trx' | 'project'>;

/** What a client sent. */
interface Asked<Body, Query> {
  /** Undefined where it was left out, as it may be that has no required field. */
  body: Body | (Partial<Body> extends Body ? undefined : never);
  query: Query;
  caller: Caller;
}

/** What more than its status decides about a server. */
export interface Circumstances {
  /** Whether its create failed, and can be tried again. */
  retry: boolean;
  /** Whether its node was declared lost. */
  rebuild: boolean;
  /** Whether it may run: not where it is to be stopped for its traffic. */
  run: boolean;
}

interface Definition<N extends Name, Wanted, Body extends TSchema, Query extends TSchema> {
  name: N;
  /** What carries it out. */
  operation: OperationKind;

  // Its words.
  summary: string;
  description: string;
  /** What a client reads whose request was accepted. */
  accepted: string;

  // Who may ask, and how.
  /** `POST /servers/{id}/{name}` unless told. */
  route?: { method: 'DELETE'; url: string };
  /** `servers:write` unless told. */
  scope?: 'admin';
  body?: Body;
  querystring?: Query;
  /** What it is refused with, beyond what any action is. */
  problems: readonly ProblemCode[];
  /** What is asked for, as the functions below get it. It runs before the transaction. */
  read?(asked: Asked<Static<Body>, Static<Query>>, deps: Deps): Wanted | Promise<Wanted>;

  // When it may be asked for.
  /** In which states of the server, while no operation is in progress. */
  from: readonly ServerStatus[];
  /** What the server is once its operation has succeeded; as before unless told. */
  to?: ServerStatus | 'deleted';
  isPossible?(circumstances: Circumstances): boolean;
  /** Whether it is refused although the state is one of these, because of what is asked for. */
  butNot?(server: ServerRow, wanted: Wanted): boolean;
  /** Why a server in another state does not take it; undefined, and unless told: because it does not run. */
  refuse?(server: ServerRow): Problem | undefined;
  /** The kinds of operations that need not be waited for: it takes their place. By what it is called then. */
  supersedes?: Record<string, readonly string[]>;
  /** Its key in `supersedes`; its name unless told. */
  as?(wanted: Wanted): string;
  /** Whether a request gets the operation of its kind that is in progress. */
  joins?: boolean;

  /** Refuses it for what else forbids it. */
  check?(change: Place, server: ServerRow, wanted: Wanted): Promise<void>;
  /** Makes what holds at once, and answers what its operation begins with. */
  begin?(change: Place, server: ServerRow, wanted: Wanted): Promise<Partial<NewOperation>>;
}

/** Something that can be asked of a server, and enters an operation. */
export type ServerAction<N extends Name, Wanted> = Definition<N, Wanted, TSchema, TSchema>;

// biome-ignore lint/suspicious/noExplicitAny: each gets only what it has read itself.
export type AnyServerAction = ServerAction<Name, any>;

/** Defines an action. It keeps the types of what is sent inside. */
export function defineServerAction<
  const N extends Name,
  Wanted = undefined,
  Body extends TSchema = TSchema,
  Query extends TSchema = TSchema,
>(definition: Definition<N, Wanted, Body, Query>): ServerAction<N, Wanted> {
  return definition;
}
