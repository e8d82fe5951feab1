import type { Event } from '@berth/client';

/** What an operation was doing from a time on. */
export interface Step {
  message: string;
  at: string;
}

/** The steps of an operation so far, in their order, as its events tell them. */
export function stepsOf(events: readonly Event[], operationId: number): Step[] {
  const steps: Step[] = [];
  for (const { data, at } of events) {
    if (!('operation' in data) || data.operation.id !== operationId) continue;
    const { message } = data.operation;
    if (steps.at(-1)?.message !== message) steps.push({ message, at });
  }
  return steps;
}
