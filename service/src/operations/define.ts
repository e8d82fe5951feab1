import type { Logger } from 'pino';
import type { Db, Trx } from '../db/connection.ts';
import type { CommandResult } from '../db/schema.ts';
import type { IncusClient } from '../incus/client.ts';
import type { ServerForOperation } from '../servers/operation-queries.ts';
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
  | { outcome: 'fail'; code: string; message: string };

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
export function fail(code: string, message: string): StepResult<never> {
  return { outcome: 'fail', code, message };
}

export interface StepContext<State> {
  operation: OperationRow & { state: State };
  server: ServerForOperation;
  incus: IncusClient;
  db: Db;
  settings: OperationSettings;
  log: Logger;
  /** Aborted when the lease is lost, the operation is superseded, or the service stops. */
  signal: AbortSignal;
  /** Shows how far this step is, 0 to 1, and what it does now. */
  report(fraction: number, doing?: string): void;
}

/** What steps need to know beyond their server. */
export interface OperationSettings {
  installationId: string;
  secretKey: Buffer;
  stopTimeoutSeconds: number;
  createsPerNode: number;
  workDir: string;
}

export interface Step<State> {
  /** Share of the operation's progress, relative to its other steps. */
  weight: number;
  /** Completes the kind's title: "Creating the server: …". */
  doing: string;
  run(context: StepContext<State>): Promise<StepResult<State>>;
}

/**
 * A kind of durable operation. Its steps are stored by name: an old one stays for a release.
 * Each step checks, then acts, so that running it twice does no harm.
 */
export interface OperationKind<State = Record<string, unknown>> {
  kind: string;
  title: string;
  /** How long it may take from its request on, unless a step gives it another limit. */
  deadlineSeconds: number;
  first: string;
  steps: Record<string, Step<State>>;
  /** Keeps its secrets for a day when it fails, to be tried again. */
  canBeRetried?: boolean;
  /** Brings the server's row to the truth when the operation has failed. */
  failed(trx: Trx, operation: OperationRow, reason: string): Promise<void>;
}

/** Keeps the state's type inside the kind; the runner hands each kind only its own rows. */
export function defineOperation<State>(kind: OperationKind<State>): OperationKind {
  return kind as unknown as OperationKind;
}

/** Of a later version of Berth: it can only be ended, once it is past its deadline. */
export function unknownKind(kind: string): OperationKind {
  const title = `The operation ${kind}, which this version of Berth does not know,`;
  return { kind, title, deadlineSeconds: 0, first: '', steps: {}, failed: async () => undefined };
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
