import { WebSocket } from 'ws';
import type { RenderedOperation } from './operations.ts';
import { urlIn } from './urls.ts';

type EventType = 'lifecycle' | 'operation';

/** A client's subscription to events. */
export interface Subscription {
  types: string[];
  /** `undefined` for all of them. */
  project: string | undefined;
}

export interface Lifecycle {
  project: string;
  action: string;
  /** The URL of its subject, without the project. */
  source: string;
  /** The name of an instance. */
  name?: string;
  context?: Record<string, unknown>;
  /** False if nobody requested it, for example when a guest powers itself off. */
  requested?: boolean;
  location?: string;
}

/** The numbers of the next events with each fault. */
export interface EventFaults {
  lose?: number;
  duplicate?: number;
  /** Each is swapped with the next one. */
  swap?: number;
}

export interface Events {
  connect(socket: WebSocket, subscription: Subscription): void;
  lifecycle(event: Lifecycle): void;
  operation(project: string, operation: RenderedOperation): void;
  disturb(faults: EventFaults): void;
  disconnectAll(): void;
  followers(): number;
}

const requestor = { username: 'root', protocol: 'unix', address: '@' };

interface SentEvent {
  type: EventType;
  project: string;
  text: string;
}

export function createEvents(): Events {
  const followers = new Map<WebSocket, Subscription>();
  let faults: Required<EventFaults> = { lose: 0, duplicate: 0, swap: 0 };
  const held: SentEvent[] = [];

  function deliver({ type, project, text }: SentEvent): void {
    for (const [socket, follows] of followers) {
      if (!follows.types.includes(type)) continue;
      if (follows.project !== undefined && follows.project !== project) continue;
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    }
  }

  function send(type: EventType, project: string, location: string, metadata: unknown): void {
    const timestamp = new Date().toISOString();
    const text = JSON.stringify({ type, timestamp, metadata, location, project });
    const event = { type, project, text };
    if (take('lose')) return;
    if (take('swap')) {
      held.push(event);
      return;
    }
    deliver(event);
    if (take('duplicate')) deliver(event);
    for (const earlier of held.splice(0)) deliver(earlier);
  }

  function take(kind: keyof EventFaults): boolean {
    if (faults[kind] === 0) return false;
    faults[kind] -= 1;
    return true;
  }

  return {
    connect(socket, subscription) {
      followers.set(socket, subscription);
      socket.on('close', () => followers.delete(socket));
    },
    lifecycle({ project, action, source, name, context, requested = true, location = 'none' }) {
      send('lifecycle', project, location, {
        action,
        source: urlIn(project, source),
        ...(context && { context }),
        ...(requested && { requestor }),
        ...(name !== undefined && { name, project }),
      });
    },
    operation: (project, operation) => send('operation', project, operation.location, operation),
    disturb(added) {
      faults = { ...faults, ...added };
    },
    disconnectAll() {
      for (const socket of followers.keys()) socket.terminate();
      followers.clear();
      held.length = 0;
    },
    followers: () => followers.size,
  };
}
