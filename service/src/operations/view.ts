import type { Operation } from '@berth/contract/operations';
import type { Deps } from '../callers/app-types.ts';
import type { CommandResult } from '../db/schema/schema.ts';
import type { NodeOperation } from './node-operation-queries.ts';
import type {
  FoundOperation,
  ListedOperation,
  OperationInProgress,
  ShownOperation,
} from './queries.ts';

/** What the kinds of operations know. This folder knows none of them. */
export interface OperationDeps extends Deps {
  /** Whether a request to cancel an operation would be accepted now. */
  isCancellable(operation: OperationInProgress & Pick<FoundOperation, 'protects_delete'>): boolean;
}

/** An operation on a server as the API shows it. Only administrators see names of nodes. */
export function operationView(
  row: FoundOperation | ListedOperation,
  { isCancellable }: Pick<OperationDeps, 'isCancellable'>,
  isForAdmin: boolean,
): Operation {
  const { state } = row;
  const cancellable = state !== null && isCancellable({ ...row, state });
  return { ...shown(row, isForAdmin), cancellable, node: null, servers: null };
}

/** An operation on a node, for administrators. It can't be cancelled. */
export function nodeOperationView(row: NodeOperation): Operation {
  const { node, servers } = row;
  const moved = servers.map((server) => ({ ...server, state: server.status }));
  return { ...shown(row, true), cancellable: false, node, servers: moved };
}

function shown(
  row: ShownOperation | ListedOperation,
  isForAdmin: boolean,
): Omit<Operation, 'cancellable' | 'node' | 'servers'> {
  const { placement } = row;
  return {
    id: row.id,
    kind: row.kind as Operation['kind'],
    server_id: row.server_id,
    status: row.status,
    step: row.step,
    progress: row.progress,
    message: row.message,
    error: row.error && { ...row.error, detail: row.error.message },
    commands:
      row.commands?.map((command: Command, index: number) => commandView(command, index)) ?? null,
    user_data: row.user_data,
    placement: placement && { ...placement, others: isForAdmin ? placement.others : null },
    created_at: row.created_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
  };
}

/** Why an output is no longer available, as a sentence; null unless it was removed. */
export function outputRemovalReason({
  output_expired: gone,
  output_dropped: dropped,
}: Pick<CommandResult, 'output_expired' | 'output_dropped'>): string | null {
  if (!gone) return null;
  if (!dropped) return 'The output was removed at the end of its retention period.';
  return (
    'The output was removed because the outputs of the project exceeded its quota "outputs". The oldest are ' +
    'removed first.'
  );
}

type Command = Omit<CommandResult, 'output'> & { output?: string | null };

function commandView(command: Command, index: number) {
  const { exit_status, duration_ms = null, output = null, output_expired: gone = false } = command;
  return {
    ...{ index, exit_status, duration_ms, output: gone ? null : output, output_expired: gone },
    output_note: outputRemovalReason(command),
  };
}
