import { declareLostOperation } from '../nodes/declare-lost.ts';
import { evacuateOperation } from '../nodes/evacuate.ts';
import { restoreOperation } from '../nodes/restore.ts';
import { createOperation } from '../servers/create.ts';
import { deleteOperation } from '../servers/delete.ts';
import { moveOperation } from '../servers/move.ts';
import { restartOperation } from '../servers/restart.ts';
import { startOperation } from '../servers/start.ts';
import { stopOperation } from '../servers/stop.ts';
import type { OperationKind } from './define.ts';

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
