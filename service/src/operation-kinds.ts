import { declareLostOperation } from './maintenance/declare-lost.ts';
import { evacuateOperation } from './maintenance/evacuate.ts';
import { restoreOperation } from './maintenance/restore.ts';
import type { OperationKind } from './operations/define.ts';
import { actions } from './servers/actions/all.ts';

/**
 * All kinds of operations: those of actions on servers (a retry is a create), and those on nodes.
 */
export const operationKinds: readonly OperationKind[] = [
  ...new Set(Object.values(actions).map(({ operation }) => operation)),
  evacuateOperation,
  restoreOperation,
  declareLostOperation,
];
