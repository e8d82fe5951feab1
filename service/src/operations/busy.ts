import { Problem } from '../problems/problem.ts';
import { aboutOperation } from './outcome.ts';
import type { OperationRow } from './queries.ts';

const retryAfter = { server: 2, node: 5 };

/**
 * The error for a server or node that accepts no other operation until the one in progress has
 * ended.
 */
export function busy(subject: 'server' | 'node', operation: OperationRow): Problem {
  const { id, kind, progress } = operation;
  const detail = `The ${subject} is busy with the operation ${id} (${kind}, ${progress} %). Try again when it has ended.`;
  const members = aboutOperation(operation);
  return new Problem('operation_in_progress', detail, { retryAfter: retryAfter[subject], members });
}
