import type { IncusClient } from '../../../incus/client.ts';
import type { Instance } from '../../../incus/instances.ts';
import { instanceName } from '../../../instances/labels.ts';
import { type Failure, fail, next, type StepResult, wait } from '../../../operations/define.ts';
import type { ServerStepContext } from '../../define-operation.ts';
import { findInstance } from '../../engine/engine.ts';

/** The initial state of an adoption. */
export interface AdoptRequest {
  /** The name that the instance has so far. */
  instance: string;
  /** The Incus project that it is in, if that is not the one of the location. */
  project?: string;
  /** The addresses that it does not keep. */
  lost: string[];
}

export interface AdoptState extends AdoptRequest, Failure {
  /** Whether it was running, and so must run at the end. */
  ran: boolean;
  /** Whether its guest did not shut down, and was stopped by force. */
  wasCut: boolean;
  /** When the copy that an interrupted worker has left was made, as Incus says it. */
  leftAt: string;
  /** The copy of an instance of another project is whole, and takes its place. */
  isCopied: boolean;
  /** When the instance that was copied was made, and last started, as Incus says it. */
  copied: { madeAt: string; usedAt: string };
  /** It has the labels and the configuration of its server. */
  isDefined: boolean;
  /** After a failure: it was seen to be as it was before. */
  isBack: boolean;
  /** After a failure: its status in the end, if it has become a server all the same. */
  left: 'started' | 'stopped';
}

export type Context = ServerStepContext<AdoptState>;
export type Result = Promise<StepResult<AdoptState>>;

/** For what follows the shutdown, but for a copy. */
export const afterSeconds = 15 * 60;
/** Some storage drivers copy each file. */
export const copySeconds = 6 * 3600;
/** The attempts of what follows a failure, if they fail for a temporary reason. */
export const maxAttempts = 5;

export const busy = wait(0.5, 'waiting for another task of the engine to end');
export const missing = fail('instance_missing', 'The instance no longer exists in the engine.');

/** The instance, under the name that it had or already under that of its server. A copy counts once it is whole. */
export async function find(context: Context): Promise<Instance | null> {
  const { incus, operation, server, signal } = context;
  const { instance, isCopied, project } = operation.state;
  const name = instanceName(server.uuid);
  if (project !== undefined && !isCopied)
    return await findInstance(original(context), instance, { signal });
  const renamed = await findInstance(incus, name, { signal });
  if (project !== undefined) return renamed;
  const named = renamed ?? (await findInstance(incus, instance, { signal }));
  // A worker that was replaced may have renamed it between the two.
  return named ?? (await findInstance(incus, name, { signal }));
}

/** The calls to the project that the instance was in before. */
export function original({ incus, operation }: Context): IncusClient {
  const { project } = operation.state;
  return project === undefined ? incus : incus.inProject(project);
}

/** What follows once the instance is stopped. */
export function whenStopped({ operation }: Context, patch: Partial<AdoptState> = {}) {
  if (operation.state.project === undefined) return next<AdoptState>('rename', patch);
  const deadlineSeconds = copySeconds + afterSeconds;
  return { outcome: 'next', step: 'copy', patch, deadlineSeconds } as const;
}
