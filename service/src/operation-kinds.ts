import { declareLostOperation } from './maintenance/declare-lost.ts';
import { evacuateOperation } from './maintenance/evacuate.ts';
import { restoreOperation } from './maintenance/restore.ts';
import type { OperationKind } from './operations/define.ts';
import { actions } from './servers/actions/all.ts';
import { adoptOperation } from './servers/operations/adopt.ts';
import { renameOperation } from './servers/operations/rename.ts';
import { repairOperation } from './servers/operations/repair.ts';

/**
 * All kinds of operations: those of actions on servers (a retry is a create), those of changes of servers, and those on
 * nodes.
 */
export const operationKinds: readonly OperationKind[] = [
  ...new Set(Object.values(actions).map(({ operation }) => operation)),
  renameOperation,
  repairOperation,
  adoptOperation,
  evacuateOperation,
  restoreOperation,
  declareLostOperation,
];
