import type { Event } from '@berth/client';

/** The latest known operation of each node, by the ID of the node. */
export type LatestOperations = Readonly<Record<string, number>>;

export interface NodeOperation {
  nodeId: number;
  operationId: number;
}

/** The operation on a node that an event is about. */
export function nodeOperationOf(event: Event): NodeOperation | undefined {
  if (!('operation' in event.data)) return undefined;
  const { id, node_id } = event.data.operation;
  return node_id === null ? undefined : { nodeId: node_id, operationId: id };
}

/** With an operation, unless a later one is known. */
export function withOperation(
  latest: LatestOperations,
  { nodeId, operationId }: NodeOperation,
): LatestOperations {
  return (latest[nodeId] ?? 0) >= operationId ? latest : { ...latest, [nodeId]: operationId };
}

export function withoutOperation(latest: LatestOperations, nodeId: number): LatestOperations {
  return Object.fromEntries(Object.entries(latest).filter(([id]) => id !== String(nodeId)));
}

/** What the browser has kept, without what is not understood. */
export function readLatest(text: string | null): LatestOperations {
  try {
    const found: unknown = JSON.parse(text ?? '{}');
    const entries = Object.entries(found ?? {});
    return Object.fromEntries(entries.filter(([, id]) => Number.isInteger(id)));
  } catch {
    // Somebody else has written it.
    return {};
  }
}
