import { instanceName } from '../../instances/labels.ts';
import { done, fail, next, type StepResult, wait } from '../../operations/define.ts';
import { operationTitles } from '../../operations/titles.ts';
import { defineServerOperation, type ServerStepContext } from '../define-operation.ts';
import { findInstance, isRunning, withDiskHeadroom } from '../engine/engine.ts';
import { recordHostName, setHostName, writeHostName } from '../engine/host-name.ts';
import { showEngineStatus } from '../truth.ts';
import { pausedAdvice } from './power/force-advice.ts';

/** The initial state of a rename. */
export interface RenameState {
  /** The host name before. The server has the new one from the request on. */
  from: string;
}

type Context = ServerStepContext<RenameState>;
type Result = Promise<StepResult<RenameState>>;

/** Sets the host name of a server in its instance and its guest, at once if it runs, otherwise for its next start. */
export const renameOperation = defineServerOperation<RenameState>({
  kind: 'rename',
  title: operationTitles.rename,
  deadlineSeconds: 5 * 60,
  first: 'record',
  failures: ['guest_paused', 'instance_missing', 'rename_incomplete'],
  steps: {
    record: { weight: 1, doing: 'changing its configuration', run: record },
    files: { weight: 2, doing: 'writing its files', run: files },
    name: { weight: 1, doing: 'setting its name', run: name },
  },
  failed: showEngineStatus,
});

async function record(context: Context): Result {
  const found = await find(context);
  if (!found) return missing;
  await withDiskHeadroom(context, found, () => recordHostName(context, found));
  return next('files');
}

async function files(context: Context): Result {
  const found = await find(context);
  if (!found) return missing;
  const { from } = context.operation.state;
  await withDiskHeadroom(context, found, () => writeHostName(context, found, from));
  return next('name');
}

async function name(context: Context): Result {
  const found = await find(context);
  if (!found) return missing;
  const { status } = found;
  if (status === 'Frozen') return fail('guest_paused', pausedAdvice(context.server.id));
  if (status === 'Stopped') return renamed(context);
  if (!isRunning(status)) return wait(2, 'waiting for the engine to say how it is');
  return (await setHostName(context, found)) ? renamed(context) : atNextStart;
}

function renamed({ operation, server }: Context): StepResult<never> {
  return done(`The server was renamed to ${server.hostname}.`, (trx) =>
    showEngineStatus(trx, operation),
  );
}

const find = ({ incus, server, signal }: Context) =>
  findInstance(incus, instanceName(server.uuid), { signal });

const missing = fail('instance_missing', 'Its instance no longer exists in the engine.');

const atNextStart = fail(
  'rename_incomplete',
  'The new name was written to the files of the guest, but the guest did not take it over while it runs. It has the name ' +
    'from its next start on.',
);
