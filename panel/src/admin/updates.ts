import type { Event } from '@berth/client';
import type { QueryClient } from '@tanstack/react-query';
import { inBackground } from '../background.ts';
import { nodeOperationOf } from './nodes/latest.ts';
import { rememberOperation } from './nodes/queries.ts';

/** What changes the picture of the nodes. */
export const followed = [
  ...['node.online', 'node.offline', 'node.evacuated', 'node.cordoned', 'node.gone', 'node.lost'],
  ...['server.created', 'server.started', 'server.stopped', 'server.paused', 'server.failed'],
  ...['server.updated', 'server.deleting', 'server.deleted'],
  ...['operation.created', 'operation.progress', 'operation.ended'],
] as Event['type'][];

/** Many servers can change at once. */
const collectMs = 1000;

/** Reads anew what events have changed. */
export function createUpdates(queries: QueryClient) {
  let timer: ReturnType<typeof setTimeout> | undefined;

  const readNodes = () => inBackground(queries.invalidateQueries({ queryKey: ['fleet'] }));

  function readAll(): void {
    timer = undefined;
    readNodes();
  }

  function take(event: Event): void {
    const operation = nodeOperationOf(event);
    if (operation) rememberOperation(queries, operation);
    if (!event.type.startsWith('operation.') || operation) timer ??= setTimeout(readAll, collectMs);
  }

  return { take, readAll, end: () => clearTimeout(timer) };
}
