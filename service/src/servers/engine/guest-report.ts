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

/** With the pauses between them about four minutes: an engine that is only slow has answered by then. */
const mostTries = 10;

/**
 * How far a new guest says that it is, or how the step ends where it can't say. What it runs is root there,
 * and may put anything in the place of the file: that ends the create, since waiting would not mend it.
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
    const isBlocked = isEngineError(error, 'timeout', 'failed') && operation.attempts >= mostTries;
    if (isBlocked) return fail('guest_report_unreadable', unreadable(error.publicMessage));
    throw error;
  }
}

const replaced = (what: string) =>
  `Its guest reports how far it is in ${progressFile}, and something else is in the place of that file: ` +
  `${what}. The server may run, but what became of its initial commands is not known. ` +
  'Create it again with commands that leave that folder alone, or delete it.';

const unreadable = (what: string) =>
  `Its guest reports how far it is in ${progressFile}, which could not be read in ${mostTries} tries: ${what}. ` +
  'The server may run, but what became of its initial commands is not known. Retry the create, or delete the server.';
