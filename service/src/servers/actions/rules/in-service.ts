import type { ShownNode } from '../../../nodes/queries.ts';
import { Problem } from '../../../problems/problem.ts';

const reasons: Partial<Record<ShownNode['state'], string>> = {
  offline: 'does not answer',
  gone: 'does not answer',
  lost: 'was declared lost',
  evacuated: 'is evacuated',
};

/**
 * Throws `node_offline` if the node of a server can't do anything for it now. `what` completes "the server cannot be …".
 */
export function requireInService({ name, state }: ShownNode, what: string): void {
  const reason = reasons[state];
  if (reason === undefined) return;
  const detail = `The node ${name} ${reason}, so the server cannot be ${what} now.`;
  throw new Problem('node_offline', detail);
}
