import {
  type GuestProgress,
  longestProgressBytes,
  ProgressReplaced,
  progressFile,
  readProgress,
} from '../../guests/report.ts';
import { isEngineError } from '../../incus/transport/errors.ts';
import { instanceName } from '../../instances/labels.ts';
import { pause } from '../../lib/pause.ts';
import { fail, type StepResult } from '../../operations/define.ts';
import { type Clock, systemClock } from '../../reconciler-runtime/timing.ts';
import type { ServerStepContext } from '../define-operation.ts';

/**
 * The number of attempts. With their pauses they take about four minutes, in which a slow engine
 * recovers.
 */
const maxAttempts = 10;
/** The pause between two polls, for each guest that is watched: polls must not slow down guests that boot together. */
const pollMs = 20;
/** After this time the step checks for other events, such as a crash of the guest. */
const maxWatchMs = 500;

let watching = 0;

type Reported = GuestProgress & {
  /** The length of the report; null while there is none. */
  bytes: number | null;
};

/**
 * Reads the progress that a new guest reports, or returns the result of the step if it can't be read.
 * The guest's commands run as root and may replace the file; that fails the create, since waiting
 * would not help.
 */
export async function progressOf({
  incus,
  operation,
  server,
  signal,
}: ServerStepContext<{ commands: number }>): Promise<Reported | StepResult<never>> {
  const name = instanceName(server.uuid);
  let bytes: number | null = null;
  const pull = async (path: string) => {
    const file = await incus.files.pull(name, path, longestProgressBytes, { signal });
    bytes = file?.content.length ?? null;
    return file?.content ?? null;
  };
  try {
    return { ...(await readProgress(pull, operation.state.commands)), bytes };
  } catch (error) {
    if (error instanceof ProgressReplaced || isEngineError(error, 'invalid')) {
      const what = error instanceof ProgressReplaced ? error.message : error.publicMessage;
      return fail('guest_report_replaced', replaced(what));
    }
    const isBlocked =
      isEngineError(error, 'timeout', 'failed') && operation.attempts >= maxAttempts;
    if (isBlocked) return fail('guest_report_unreadable', unreadable(error.publicMessage));
    throw error;
  }
}

/**
 * Resolves to `true` when the report has another length than `bytes`, and to `false` if it has not within half a second.
 * Each report has another length than the one before: a result is longer than `done` is shorter than `running`.
 * @param bytes the length; `null` if there was no report
 * @param clock the clock; tests use their own
 */
export async function reportChanges(
  { incus, server, signal }: Pick<ServerStepContext<unknown>, 'incus' | 'server' | 'signal'>,
  bytes: number | null,
  clock: Pick<Clock, 'elapsed' | 'after'> = systemClock,
): Promise<boolean> {
  const name = instanceName(server.uuid);
  const end = clock.elapsed() + maxWatchMs;
  watching += 1;
  try {
    while (!signal.aborted) {
      const left = end - clock.elapsed();
      await pause(Math.min(pollMs * watching, left), signal, clock.after);
      if (signal.aborted || clock.elapsed() >= end) break;
      if ((await incus.files.size(name, progressFile, { signal })) !== bytes) return true;
    }
    return false;
  } finally {
    watching -= 1;
  }
}

/** A sentence as a part of another one. */
const clause = (sentence: string) => sentence.replace(/\.$/, '');

const replaced = (what: string) =>
  `The file ${progressFile}, in which its guest reports its progress, was replaced: ${clause(what)}. ` +
  'The server may be running, but the outcome of its initial commands is unknown. ' +
  'Create it again with commands that leave that folder alone, or delete it.';

const unreadable = (what: string) =>
  `The file ${progressFile}, in which its guest reports its progress, could not be read in ${maxAttempts} attempts: ` +
  `${clause(what)}. The server may be running, but the outcome of its initial commands is unknown. ` +
  'Retry the create, or delete the server.';
