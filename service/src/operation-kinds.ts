import { declareLostOperation } from './maintenance/declare-lost.ts';
import { evacuateOperation } from './maintenance/evacuate.ts';
import { restoreOperation } from './maintenance/restore.ts';
import type { OperationKind } from './operations/define.ts';
import { actions } from './servers/actions/all.ts';
import { renameOperation } from './servers/operations/rename.ts';

/**
 * All kinds of operations: those of actions on servers (a retry is a create), that of a change of a server, and those on
 * nodes.
 */
export const operationKinds: readonly OperationKind[] = [
  ...new Set(Object.values(actions).map(({ operation }) => operation)),
  renameOperation,
  evacuateOperation,
  restoreOperation,
  declareLostOperation,
];
