import {
  type GuestProgress,
  longestProgressBytes,
  ProgressReplaced,
  progressFile,
  readProgress,
} from '../../guests/progress.ts';
import { isEngineError } from '../../incus/transport/errors.ts';
import { instanceName } from '../../instances/labels.ts';
import { fail, type StepResult } from '../../operations/define.ts';
import type { ServerStepContext } from '../define-operation.ts';

/** With the pauses in between this is about four minutes, by when a slow engine has answered. */
const maxAttempts = 10;

/**
 * Reads the progress that a new guest reports, or returns how the step ends if it can't be read.
 * The guest's commands run as root and may replace the file; that fails the create, since waiting
 * would not help.
 */
export async function progressOf({
  incus,
  operation,
  server,
  signal,
}: ServerStepContext<{ commands: number }>): Promise<GuestProgress | StepResult<never>> {
  const name = instanceName(server.uuid);
  const pull = async (path: string) =>
    (await incus.files.pull(name, path, longestProgressBytes, { signal }))?.content ?? null;
  try {
    return await readProgress(pull, operation.state.commands);
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

const replaced = (what: string) =>
  `Its guest reports how far it is in ${progressFile}, and something else is in the place of that file: ` +
  `${what}. The server may run, but what became of its initial commands is not known. ` +
  'Create it again with commands that leave that folder alone, or delete it.';

const unreadable = (what: string) =>
  `Its guest reports how far it is in ${progressFile}, which could not be read in ${maxAttempts} tries: ${what}. ` +
  'The server may run, but what became of its initial commands is not known. Retry the create, or delete the server.';
