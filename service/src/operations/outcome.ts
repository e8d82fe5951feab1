import type { OperationOutcome } from '@berth/contract/operations';
import { type FailureCode, failures, failuresLikeRefusals } from '../problems/failures.ts';
import { Problem } from '../problems/problem.ts';
import type { OperationRow, WaitedOperation } from './queries.ts';

export function hasEnded(status: OperationRow['status']): boolean {
  return status !== 'pending' && status !== 'running';
}

/** Whether a step of an operation has failed, and will be run again. Its message says why. */
export function isBeingRetried({ status, attempts }: WaitedOperation): boolean {
  return !hasEnded(status) && attempts > 0;
}

/** The part of an operation that every answer includes. */
export function outcomeOf({
  id,
  status,
  error,
}: Pick<OperationRow, 'id' | 'status' | 'error'>): OperationOutcome {
  return { id, status, error: error && { code: error.code, detail: error.message } };
}

/**
 * The error for those who waited for an operation that failed, or was superseded or cancelled; otherwise
 * undefined.
 */
export function failureOf(operation: WaitedOperation): Problem | undefined {
  const { status } = operation;
  if (status !== 'failed' && status !== 'superseded' && status !== 'cancelled') return undefined;
  const code = status === 'failed' ? codeOf(operation) : (`operation_${status}` as const);
  return new Problem(code, operation.message, { members: aboutOperation(operation) });
}

/** The members of a problem that is about an operation. */
export function aboutOperation(
  operation: Pick<OperationRow, 'id' | 'status' | 'error' | 'kind' | 'server_id' | 'progress'>,
) {
  const { kind, server_id, progress } = operation;
  return { operation: { ...outcomeOf(operation), kind, server_id, progress } };
}

/** The error of an operation. Another version of the service may have ended it with an unknown code. */
function codeOf({ error }: WaitedOperation): FailureCode {
  const code = error?.code ?? '';
  return isKnown(code) ? code : 'operation_failed';
}

function isKnown(code: string): code is FailureCode {
  return Object.hasOwn(failures, code) || failuresLikeRefusals.some((one) => one === code);
}
