import type { components, Event } from '@berth/client';

export type Server = components['schemas']['Server'];
type OperationThen = components['schemas']['OperationEndedEvent']['data']['operation'];

/** An operation in progress, as the latest event shows it. */
export type Activity = Pick<OperationThen, 'id' | 'kind' | 'progress' | 'message'>;
/** The operation in progress of each server that has one, by the ID of the server. */
export type Activities = ReadonlyMap<number, Activity>;

/** The operations in progress after an event. Returns the same map if nothing has changed. */
export function activitiesAfter(activities: Activities, event: Event): Activities {
  if (event.type === 'server.deleted') return without(activities, event.server_id, undefined);
  if (event.type === 'operation.ended')
    return without(activities, event.server_id, event.data.operation.id);
  if (event.type !== 'operation.created' && event.type !== 'operation.progress') return activities;
  const { id, kind, progress, message, server_id } = event.data.operation;
  if (server_id === null) return activities;
  return new Map(activities).set(server_id, { id, kind, progress, message });
}

/** Another operation may have taken the place of the one that has ended. */
function without(activities: Activities, serverId: number | null, id: number | undefined) {
  const activity = serverId === null ? undefined : activities.get(serverId);
  if (!activity || (id !== undefined && activity.id !== id)) return activities;
  return new Map([...activities].filter(([key]) => key !== serverId));
}

/** The list after an event, with what the event says. The rest of a server has to be read again. */
export function serversAfter(servers: readonly Server[], event: Event): readonly Server[] {
  const index = servers.findIndex(({ id }) => id === event.server_id);
  const server = servers[index];
  if (!server) return servers;
  if (event.type === 'server.deleted') return servers.toSpliced(index, 1);
  if (!('server' in event.data)) return servers;
  const { hostname, status, error, specifications, labels } = event.data.server;
  return servers.with(index, { ...server, hostname, status, error, specifications, labels });
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
