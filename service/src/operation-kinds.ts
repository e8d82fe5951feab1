import { declareLostOperation } from './maintenance/declare-lost.ts';
import { evacuateOperation } from './maintenance/evacuate.ts';
import { restoreOperation } from './maintenance/restore.ts';
import type { OperationKind } from './operations/define.ts';
import { actions } from './servers/actions/all.ts';

/** Every kind of operation: those of the actions on servers, one of which is a create again, and those on nodes. */
export const operationKinds: readonly OperationKind[] = [
  ...new Set(Object.values(actions).map(({ operation }) => operation)),
  evacuateOperation,
  restoreOperation,
  declareLostOperation,
];
