import type { components, Event } from '@berth/client';

export type Server = components['schemas']['Server'];
type OperationThen = components['schemas']['OperationEndedEvent']['data']['operation'];

/** An operation in progress, as the latest event shows it. */
export type Activity = Pick<OperationThen, 'id' | 'kind' | 'progress' | 'message'>;
/** The operation in progress of each server that has one, by the ID of the server. */
export type Activities = ReadonlyMap<number, Activity>;

/** The operations in progress after events. Returns the same map if nothing has changed. */
export function activitiesAfter(activities: Activities, events: readonly Event[]): Activities {
  const after = new Map(activities);
  const changes = events.map((event) => enterActivity(after, event));
  return changes.includes(true) ? after : activities;
}

/** Returns whether the event has changed the map. */
function enterActivity(activities: Map<number, Activity>, event: Event): boolean {
  const { type, data, server_id } = event;
  if (server_id === null) return false;
  if (type === 'server.deleted') return activities.delete(server_id);
  if (type === 'operation.ended') {
    // Another operation may have taken the place of the one that has ended.
    const isShown = activities.get(server_id)?.id === data.operation.id;
    return isShown && activities.delete(server_id);
  }
  if (type !== 'operation.created' && type !== 'operation.progress') return false;
  const { id, kind, progress, message } = data.operation;
  activities.set(server_id, { id, kind, progress, message });
  return true;
}

/** The list after events, with what they say. The rest of a server has to be read again. Thousands of servers are copied once. */
export function serversAfter(
  servers: readonly Server[],
  events: readonly Event[],
): readonly Server[] {
  const telling = events.filter(({ data }) => 'server' in data);
  if (telling.length === 0) return servers;
  const places = new Map(servers.map(({ id }, index) => [id, index]));
  const after: (Server | undefined)[] = [...servers];
  let isChanged = false;
  for (const { type, data, server_id } of telling) {
    const index = places.get(server_id ?? 0) ?? -1;
    const server = after[index];
    if (!server || !('server' in data)) continue;
    const { hostname, status, error, specifications, labels } = data.server;
    const then = { ...server, hostname, status, error, specifications, labels };
    after[index] = type === 'server.deleted' ? undefined : then;
    isChanged = true;
  }
  return isChanged ? after.filter((server) => server !== undefined) : servers;
}

/** A server after events, with what they say. It stays as it was if it was deleted. */
export function serverAfter(server: Server, events: readonly Event[]): Server {
  return serversAfter([server], events)[0] ?? server;
}

/** The list with a server as it is now. It stays as it is if it does not have the server. */
export function withServer(servers: readonly Server[], server: Server): readonly Server[] {
  const index = servers.findIndex(({ id }) => id === server.id);
  return index < 0 ? servers : servers.with(index, server);
}

/** Whether lists may have other servers after an event, which only the service can tell. */
export function changesLists({ type }: Event, hasFilters: boolean): boolean {
  if (type === 'server.created') return true;
  return hasFilters && type.startsWith('server.') && type !== 'server.deleted';
}

/** The server whose `allowed_actions` and other fields may have changed. */
export function serverToRead({ type, server_id }: Event): number | undefined {
  const isOther = type === 'operation.progress' || type === 'server.deleted';
  return server_id === null || isOther ? undefined : server_id;
}
