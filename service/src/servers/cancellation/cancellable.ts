import type { Cancellation, OperationKind } from '../../operations/define.ts';
import { hasEnded } from '../../operations/outcome.ts';
import type { FoundOperation, OperationInProgress } from '../../operations/queries.ts';
import { actions } from '../actions/all.ts';

/** Others, such as a rename, take effect with their request. */
const kinds = new Map<string, OperationKind>(
  Object.values(actions).map(({ operation }) => [operation.kind, operation]),
);

/** How an operation in progress can be cancelled at its present step, or why it can't. */
export function cancellationOf(
  operation: OperationInProgress,
): Cancellation | 'never' | 'no_longer' {
  const { kind, status, step } = operation;
  const cancellation = kinds.get(kind)?.cancel?.(operation);
  if (!cancellation) return 'never';
  const isPossible = status === 'pending' || cancellation.during?.includes(step);
  return isPossible ? cancellation : 'no_longer';
}

/** Whether a request to cancel an operation would be accepted now. */
export function isCancellable(
  operation: OperationInProgress & Pick<FoundOperation, 'protects_delete'>,
): boolean {
  if (hasEnded(operation.status)) return false;
  const cancellation = cancellationOf(operation);
  if (typeof cancellation !== 'object') return false;
  return !(cancellation.deletesServer && operation.protects_delete);
}
