import type { Event } from '@berth/client';
import type { Action } from './actions.ts';

/** What somebody has asked for in this page. */
export interface Expected {
  action: Action;
  hostname: string;
  serverId: number;
}

export interface Outcome extends Expected {
  status: 'succeeded' | 'failed' | 'superseded' | 'cancelled';
  message: string;
}

const mostKept = 200;

/** Tells the outcome of the operations that were begun in this page, whichever is known first: their ID or their end. */
export function createExpectations(tell: (outcome: Outcome, operationId: number) => void) {
  const expected = new Map<number, Expected>();
  const ended = new Map<number, Pick<Outcome, 'status' | 'message'>>();

  function tellIfBoth(operationId: number): void {
    const [what, end] = [expected.get(operationId), ended.get(operationId)];
    if (!what || !end) return;
    expected.delete(operationId);
    ended.delete(operationId);
    tell({ ...what, ...end }, operationId);
  }

  return {
    expect(operationId: number, what: Expected): void {
      expected.set(operationId, what);
      tellIfBoth(operationId);
    },
    take(event: Event): void {
      if (event.type !== 'operation.ended') return;
      const { id, status, message, error } = event.data.operation;
      ended.set(id, {
        status: status as Outcome['status'],
        message: error?.detail ?? message,
      });
      const [oldest] = ended.keys();
      if (ended.size > mostKept && oldest !== undefined) ended.delete(oldest);
      tellIfBoth(id);
    },
  };
}
