import {
  type IncusEvent,
  type LifecycleEvent,
  watchEvents,
} from '../../service/src/incus/events.ts';
import { cleanUpWith, type Target, until } from './target.ts';

/** Collects all events from now on. */
export async function follow({ socketPath, names }: Target, project = names.project) {
  const seen: IncusEvent[] = [];
  const stopping = new AbortController();
  let isConnected = false;
  const watching = watchEvents(
    { socketPath },
    {
      types: ['lifecycle', 'operation'],
      project,
      signal: stopping.signal,
      onEvent: (event) => seen.push(event),
      onConnect() {
        isConnected = true;
      },
      onDisconnect() {},
    },
  );
  cleanUpWith(async () => {
    stopping.abort();
    await watching;
  });
  await until('the events are connected', 10, () => isConnected);
  return seen;
}

export const isLifecycle = (event: IncusEvent): event is LifecycleEvent =>
  event.type === 'lifecycle';
