import { declareLostOperation } from './maintenance/declare-lost.ts';
import { evacuateOperation } from './maintenance/evacuate.ts';
import { restoreOperation } from './maintenance/restore.ts';
import type { OperationKind } from './operations/define.ts';
import { createOperation } from './servers/operations/create.ts';
import { deleteOperation } from './servers/operations/delete.ts';
import { moveOperation } from './servers/operations/move.ts';
import { restartOperation } from './servers/operations/restart.ts';
import { startOperation } from './servers/operations/start.ts';
import { stopOperation } from './servers/operations/stop.ts';

/** Every kind of operation. A new one is a file and a line here. */
export const operationKinds: readonly OperationKind[] = [
  createOperation,
  startOperation,
  stopOperation,
  restartOperation,
  deleteOperation,
  moveOperation,
  evacuateOperation,
  restoreOperation,
  declareLostOperation,
];
