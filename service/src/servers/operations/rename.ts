import type { Trx } from '../../db/connection.ts';
import { Project } from '../../db/project.ts';
import { instanceName } from '../../instances/labels.ts';
import { done, fail, firstStep, next, type StepResult, wait } from '../../operations/define.ts';
import {
  insertOperation,
  lastOperationOf,
  type OperationRow,
  type ServerOperationRow,
} from '../../operations/queries.ts';
import { operationTitles } from '../../operations/titles.ts';
import { defineServerOperation, type ServerStepContext } from '../define-operation.ts';
import { findInstance, isRunning, withDiskHeadroom } from '../engine/engine.ts';
import {
  type Copies,
  copyNameFiles,
  recordHostName,
  setHostName,
  writeHostName,
} from '../engine/host-name.ts';
import { showEngineStatus } from '../truth.ts';
import { pausedAdvice } from './power/force-advice.ts';

interface RenameState {
  /** The host names that the guest may still have. The server has the new one from the request on. */
  from: string[];
  /** The files of the guest before the first write; null once all are written. */
  copies?: Copies | null;
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

/**
 * The last rename of a server, if its guest may not have the name: it failed or was superseded, and the server was not
 * created again since.
 */
export async function unfinishedRename(
  project: Project,
  serverId: number,
): Promise<{ state: RenameState; isSuperseded: boolean } | undefined> {
  const last = await lastOperationOf(project, serverId, ['create', renameOperation.kind]);
  if (last?.kind !== renameOperation.kind) return undefined;
  const isSuperseded = last.status === 'superseded';
  if (!isSuperseded && last.status !== 'failed') return undefined;
  return { state: last.state as unknown as RenameState, isSuperseded };
}

/** Enters the rename of a server to the name that it has in the records. */
export async function enterRename(
  project: Project,
  serverId: number,
  state: RenameState,
): Promise<OperationRow> {
  return await insertOperation(project, {
    ...firstStep(renameOperation),
    serverId,
    state: { ...state },
  });
}

/** Enters the last rename of a server again, if another operation has superseded it. */
export async function renameAgain(
  trx: Trx,
  { project_id: projectId, server_id: serverId }: ServerOperationRow,
): Promise<void> {
  if (projectId === null) return;
  const project = new Project(trx, projectId);
  const last = await unfinishedRename(project, serverId);
  if (last?.isSuperseded) await enterRename(project, serverId, last.state);
}

async function record(context: Context): Result {
  const found = await find(context);
  if (!found) return missing;
  const { copies: earlier } = context.operation.state;
  const copies = await withDiskHeadroom(context, found, async () => {
    await recordHostName(context, found);
    return await copyNameFiles(context, found, earlier ?? {});
  });
  return next('files', { copies });
}

async function files(context: Context): Result {
  const found = await find(context);
  if (!found) return missing;
  const { copies, from } = context.operation.state;
  const given = { copies: copies ?? {}, formerNames: from };
  await withDiskHeadroom(context, found, () => writeHostName(context, found, given));
  return next('name', { copies: null });
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
