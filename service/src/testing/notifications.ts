import type { NotificationListener } from '../db/notifications.ts';

type Handler = (payload: object) => void;

/** Notifications that only a test sends. */
export function testNotifications() {
  const handlers = new Map<string, Set<Handler>>();
  const on = (name: string, handler: Handler) => {
    const ofName = handlers.get(name) ?? new Set();
    handlers.set(name, ofName.add(handler));
    return () => ofName.delete(handler);
  };
  return {
    notifications: { on } as unknown as NotificationListener,
    emit(name: string, payload: object): void {
      for (const handler of handlers.get(name) ?? []) handler(payload);
    },
    /** The names of all that was ever listened to. */
    names: () => [...handlers.keys()],
    /** How many handlers are subscribed now. */
    subscribed: () => [...handlers.values()].reduce((sum, { size }) => sum + size, 0),
  };
}
