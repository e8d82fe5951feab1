import type { Logger } from 'pino';
import type { Db, Trx } from '../db/connection.ts';
import type { CommandResult } from '../db/schema/schema.ts';
import type { ImageDirectories } from '../images/images.ts';
import type { IncusClient } from '../incus/client.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { QuotaGuard } from '../pool-quotas/quota-guard.ts';
import { anyFailures, type FailureCode } from '../problems/failures.ts';
import type { Change } from './lease-queries.ts';
import type { OperationRow } from './queries.ts';

/** Writes that are part of the transaction which commits a step's result. */
export type Write = (trx: Trx) => Promise<void>;

/** The result of a step. A step that returns anything else does not compile. */
export type StepResult<State> =
  | {
      outcome: 'next';
      step: string;
      patch?: Partial<State>;
      commands?: CommandResult[];
      /** The new deadline of the operation, from now on. */
      deadlineSeconds?: number;
    }
  | {
      outcome: 'wait';
      seconds: number;
      why?: string;
      fraction?: number;
      patch?: Partial<State>;
      commands?: CommandResult[];
      retry?: string;
      /** The step was not run, because it can't be now. */
      isNotRun?: true;
    }
  | { outcome: 'done'; write: Write; message: string }
  | { outcome: 'done'; change: Change; message: string }
  | { outcome: 'fail'; code: FailureCode; message: string };

/** Continues with another step immediately. `patch` is merged into the operation's state. */
export function next<State>(step: string, patch?: Partial<State>): StepResult<State> {
  return patch ? { outcome: 'next', step, patch } : { outcome: 'next', step };
}

/**
 * Runs this step again after some seconds (60 at most). `why` is shown in the operation's message.
 */
export function wait(seconds: number, why?: string, fraction?: number): StepResult<never> {
  return {
    outcome: 'wait',
    seconds,
    ...(why !== undefined && { why }),
    ...(fraction !== undefined && { fraction }),
  };
}

/** Ends the operation successfully. `write` updates the records with the result. */
export function done(message: string, write: Write): StepResult<never> {
  return { outcome: 'done', message, write };
}

/** The same where the result is a single change: by one statement, without a transaction around it. */
export function doneBy(message: string, change: Change): StepResult<never> {
  return { outcome: 'done', message, change };
}

/** Ends the operation with a failure. `message` tells the client what failed and what to do. */
export function fail(code: FailureCode, message: string): StepResult<never> {
  return { outcome: 'fail', code, message };
}

interface Surroundings {
  incus: IncusClient;
  db: Db;
  settings: OperationSettings;
  log: Logger;
  /** Aborted when the lease is lost, the operation is superseded or cancelled, or the service stops. */
  signal: AbortSignal;
  /** Reports the progress of this step, from 0 to 1, and what it is doing. */
  report(fraction: number, doing?: string): void;
}

/** What a step is called with. `About` is the subject of the operation, such as `{ server }`. */
export type StepContext<State, Row, About> = Surroundings &
  About & { operation: Row & { state: State } };

/** What steps need in addition to their subject. */
export interface OperationSettings {
  installationId: string;
  secretKey: Keyring;
  stopTimeoutSeconds: number;
  /** How many servers an evacuation or a restore moves concurrently. */
  movesAtOnce: number;
  imageDirectories: ImageDirectories;
  /** The image servers that are allowed. */
  imageServers: readonly string[];
  /** The guard of the disk limits in the pool of a location, if this service has one. */
  quotaGuardOf(locationId: number): Promise<QuotaGuard | undefined>;
}

export interface Step<State, Context> {
  /** Share of the operation's progress, relative to its other steps. */
  weight: number;
  /** Completes the message that starts with the kind's title: "Creating the server: …". */
  doing: string;
  run(context: Context): Promise<StepResult<State>>;
}

/** How an operation is cancelled. */
export interface Cancellation {
  /**
   * The steps during which it can be cancelled: what they do can be undone. Before it begins, it can be cancelled in any
   * case.
   */
  during?: readonly string[];
  /** The beginning of its message, if not the title of its kind. */
  title?: string;
  /** The end of its message, after "was cancelled": what has become of its server. */
  words?: string;
  /** Set if its server is deleted, because it did not exist before. */
  deletesServer?: true;
  /** Set if it keeps its secrets for a day, for a retry. */
  keepsSecrets?: true;
  /** Restores the records as they were before the request. */
  undo?: Write;
}

/** What of an operation says how it is cancelled. */
export type Cancellable<Row extends OperationRow = OperationRow> = Pick<
  Row,
  'id' | 'server_id' | 'step'
>;

/**
 * A kind of durable operation. Steps are stored by name, so an old one must stay for one release.
 * Each step checks before it acts, so that running it twice is harmless.
 */
export interface Kind<State, Context, Row extends OperationRow> {
  kind: string;
  title: string;
  /** The deadline, counted from the request, unless a step sets another one. */
  deadlineSeconds: number;
  first: string;
  /** The error codes of its steps, in addition to those that any operation can fail with. */
  failures?: readonly FailureCode[];
  steps: Record<string, Step<State, Context>>;
  /**
   * The step that undoes what was done, to which a failure of any other step leads. It finds that
   * failure in the state, and returns it. `isNeeded` says whether there is something to undo; by
   * default there is.
   */
  recovery?: { step: string; deadlineSeconds: number; isNeeded?(state: Partial<State>): boolean };
  /** Whether it keeps its secrets for a day after a failure, for a retry. */
  canBeRetried?: boolean;
  /** How it is cancelled. Without it, or if this is undefined, it can't be. */
  cancel?(operation: Cancellable<Row> & { state: State }): Cancellation | undefined;
  /** Updates the records after the operation has failed, with its `error`. */
  failed(trx: Trx, operation: Row, reason: string): Promise<void>;
}

/** The state in which the `recovery` step finds the failure. */
export interface Failure {
  failure: { code: FailureCode; message: string };
}

/** What operations can be about. The folder of each noun defines its own. */
export interface Subject<Row extends OperationRow, About> {
  subject: 'server' | 'node';
  isOf(operation: OperationRow): operation is Row;
  /**
   * Whether an operation changes its subject at its end only, so that steps in quick succession share
   * what was loaded.
   */
  isSteady: boolean;
  /**
   * Loads the current subject. `away` names its node if that is unreachable, so that no step can
   * run.
   */
  load(
    db: Db,
    operation: Row,
  ): Promise<{ about: About; locationId: number; away?: string | undefined }>;
}

// biome-ignore lint/suspicious/noExplicitAny: the runner hands each kind only its own rows.
export type OperationKind = Kind<any, any, any> & Subject<any, any>;

/**
 * Returns a function that defines kinds of operations on `subject`, and checks the types of their
 * states.
 */
export function operationsOn<Row extends OperationRow, About>(subject: Subject<Row, About>) {
  return <State>(kind: Kind<State, StepContext<State, Row, About>, Row>) => ({
    ...kind,
    ...subject,
  });
}

/** Stands for a kind of a later version of Berth. It can only be ended, after its deadline. */
export function unknownKind({ kind, server_id }: OperationRow): OperationKind {
  const title = `The operation ${kind}, which this version of Berth does not know,`;
  const subject: Subject<OperationRow, object> = {
    subject: server_id === null ? 'node' : 'server',
    isOf: (_operation): _operation is OperationRow => true,
    isSteady: false,
    load: () => Promise.reject(new TypeError(`No step of ${kind} is known.`)),
  };
  const nothing = { deadlineSeconds: 0, first: '', steps: {}, failed: async () => undefined };
  return { kind, title, ...subject, ...nothing };
}

/** All error codes that an operation of this kind can fail with. */
export function failuresOf({ failures = [] }: OperationKind): FailureCode[] {
  return [...anyFailures, ...failures];
}

/** The initial values of an operation of this kind. */
export function firstStep(kind: OperationKind) {
  const { kind: name, first, deadlineSeconds } = kind;
  return { kind: name, step: first, deadlineSeconds, message: sentence(kind, first) };
}

/** Progress in percent at a fraction of a step. Only the end of the operation reaches 100. */
export function progressAt(kind: OperationKind, step: string, fraction: number): number {
  const names = Object.keys(kind.steps);
  const weights = Object.values(kind.steps).map((s) => s.weight);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const at = names.indexOf(step);
  const before = weights.slice(0, at).reduce((sum, weight) => sum + weight, 0);
  const share = before + (kind.steps[step]?.weight ?? 0) * Math.min(Math.max(fraction, 0), 1);
  return Math.min(99, Math.floor((100 * share) / total));
}

/** The message of the operation while a step runs. */
export function sentence(kind: OperationKind, step: string, doing?: string): string {
  return `${kind.title}: ${doing ?? kind.steps[step]?.doing ?? step}`;
}
