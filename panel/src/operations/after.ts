import type { Event, Operation } from '@berth/client';

/** The list after an event, with what the event says. The rest of an operation has to be read again. */
export function operationsAfter(operations: readonly Operation[], event: Event) {
  if (!('operation' in event.data)) return operations;
  const { id, status, progress, message, error } = event.data.operation;
  const index = operations.findIndex((one) => one.id === id);
  const operation = operations[index];
  if (!operation) return operations;
  // An event that arrives late says less than what was read.
  if (isOver(operation)) return operations;
  return operations.with(index, {
    ...operation,
    ...{ status, progress, message },
    cancellable: operation.cancellable && !isOver({ status }),
    error: error && { ...error, message: error.detail },
  });
}

export const isOver = ({ status }: Pick<Operation, 'status'>): boolean =>
  status !== 'pending' && status !== 'running';
