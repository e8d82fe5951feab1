import type { Logger } from 'pino';
import type { Db, Trx } from '../db/connection.ts';
import type { CommandResult } from '../db/schema/schema.ts';
import type { ImageDirectories } from '../images/images.ts';
import type { IncusClient } from '../incus/client.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { PoolKeeper } from '../pool-quotas/keeper.ts';
import { anyFailures, type FailureCode } from '../problems/failures.ts';
import type { OperationRow } from './queries.ts';

/** Written in the transaction that commits a step's result. */
export type Write = (trx: Trx) => Promise<void>;

/** How a step ends. There is no other way: a step that returns none of these does not compile. */
export type StepResult<State> =
  | {
      outcome: 'next';
      step: string;
      patch?: Partial<State>;
      commands?: CommandResult[];
      /** From now on the operation may take this long. */
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
    }
  | { outcome: 'done'; write: Write; message: string }
  | { outcome: 'fail'; code: FailureCode; message: string };

/** Goes on with another step at once. `patch` is merged into the operation's state. */
export function next<State>(step: string, patch?: Partial<State>): StepResult<State> {
  return patch ? { outcome: 'next', step, patch } : { outcome: 'next', step };
}

/** Runs this step again after some seconds, 60 at most; `why` is what a person reads meanwhile. */
export function wait(seconds: number, why?: string, fraction?: number): StepResult<never> {
  return {
    outcome: 'wait',
    seconds,
    ...(why !== undefined && { why }),
    ...(fraction !== undefined && { fraction }),
  };
}

/** Ends the operation well; `write` brings the server's row to what was reached. */
export function done(message: string, write: Write): StepResult<never> {
  return { outcome: 'done', message, write };
}

/** Ends the operation badly. `message` is for the client: what failed and what to do. */
export function fail(code: FailureCode, message: string): StepResult<never> {
  return { outcome: 'fail', code, message };
}

interface Surroundings {
  incus: IncusClient;
  db: Db;
  settings: OperationSettings;
  log: Logger;
  /** Aborted when the lease is lost, the operation is superseded, or the service stops. */
  signal: AbortSignal;
  /** Shows how far this step is, 0 to 1, and what it does now. */
  report(fraction: number, doing?: string): void;
}

/** Of a step of an operation. `About` is what it is about, such as `{ server }`. */
export type StepContext<State, Row, About> = Surroundings &
  About & { operation: Row & { state: State } };

/** What steps need to know beyond their subject. */
export interface OperationSettings {
  installationId: string;
  secretKey: Keyring;
  stopTimeoutSeconds: number;
  /** How many servers an evacuation, or a restore, moves at once. */
  movesAtOnce: number;
  imageDirectories: ImageDirectories;
  /** Where images may come from. */
  imageServers: readonly string[];
  /** Who keeps the disk limits in the pool of a location, where somebody does here. */
  poolKeeperOf(locationId: number): Promise<PoolKeeper | undefined>;
}

export interface Step<State, Context> {
  /** Share of the operation's progress, relative to its other steps. */
  weight: number;
  /** Completes the kind's title: "Creating the server: …". */
  doing: string;
  run(context: Context): Promise<StepResult<State>>;
}

/**
 * A kind of durable operation. Its steps are stored by name: an old one stays for a release.
 * Each step checks, then acts, so that running it twice does no harm.
 */
export interface Kind<State, Context, Row> {
  kind: string;
  title: string;
  /** How long it may take from its request on, unless a step gives it another limit. */
  deadlineSeconds: number;
  first: string;
  /** The codes that its steps fail with, beyond those that any operation can fail with. */
  failures?: readonly FailureCode[];
  steps: Record<string, Step<State, Context>>;
  /**
   * Where a failure of any other step leads before the operation ends with it: to bring things back to
   * how they were. The step finds the failure in the state, and returns it.
   */
  recovery?: { step: string; deadlineSeconds: number };
  /** Keeps its secrets for a day when it fails, to be tried again. */
  canBeRetried?: boolean;
  /** Brings the records to the truth when the operation has failed. */
  failed(trx: Trx, operation: Row, reason: string): Promise<void>;
}

/** What the step of a kind's `recovery` finds in the state. */
export interface Failure {
  failure: { code: FailureCode; message: string };
}

/** What operations can be about: the room of a noun brings it. */
export interface Subject<Row extends OperationRow, About> {
  subject: 'server' | 'node';
  isOf(operation: OperationRow): operation is Row;
  /** As it is now. `away` names the node that does not answer, so that no step can do anything. */
  load(
    db: Db,
    operation: Row,
  ): Promise<{ about: About; locationId: number; away?: string | undefined }>;
}

// biome-ignore lint/suspicious/noExplicitAny: the runner hands each kind only its own rows.
export type OperationKind = Kind<any, any, any> & Subject<any, any>;

/** A function that defines kinds about `subject`. It keeps the state's type inside the kind. */
export function operationsOn<Row extends OperationRow, About>(subject: Subject<Row, About>) {
  return <State>(kind: Kind<State, StepContext<State, Row, About>, Row>) => ({
    ...kind,
    ...subject,
  });
}

/** Of a later version of Berth: it can only be ended, once it is past its deadline. */
export function unknownKind({ kind, server_id }: OperationRow): OperationKind {
  const title = `The operation ${kind}, which this version of Berth does not know,`;
  const subject: Subject<OperationRow, object> = {
    subject: server_id === null ? 'node' : 'server',
    isOf: (_operation): _operation is OperationRow => true,
    load: () => Promise.reject(new TypeError(`No step of ${kind} is known.`)),
  };
  const nothing = { deadlineSeconds: 0, first: '', steps: {}, failed: async () => undefined };
  return { kind, title, ...subject, ...nothing };
}

/** Every code that an operation of this kind can fail with. */
export function failuresOf({ failures = [] }: OperationKind): FailureCode[] {
  return [...anyFailures, ...failures];
}

/** What an operation of this kind begins with. */
export function firstStep(kind: OperationKind) {
  const { kind: name, first, deadlineSeconds } = kind;
  return { kind: name, step: first, deadlineSeconds, message: sentence(kind, first) };
}

/** Progress in percent at a fraction of a step. 100 is for the operation's end alone. */
export function progressAt(kind: OperationKind, step: string, fraction: number): number {
  const names = Object.keys(kind.steps);
  const weights = Object.values(kind.steps).map((s) => s.weight);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const at = names.indexOf(step);
  const before = weights.slice(0, at).reduce((sum, weight) => sum + weight, 0);
  const share = before + (kind.steps[step]?.weight ?? 0) * Math.min(Math.max(fraction, 0), 1);
  return Math.min(99, Math.floor((100 * share) / total));
}

/** The sentence that a person reads while a step runs. */
export function sentence(kind: OperationKind, step: string, doing?: string): string {
  return `${kind.title}: ${doing ?? kind.steps[step]?.doing ?? step}`;
}
