import type { Event } from '@berth/client';
import { isProjectType, projectTypes, type WebhookType } from './types.ts';

const groups = ['server', 'operation'] as const;
type Group = (typeof groups)[number];

/** The filters of the list, as they are in the URL. */
export interface EventSearch {
  /** A type, or what is before the point of several. */
  type?: WebhookType | Group;
  /** The ID of a server. */
  server?: number;
}

const isGroup = (word: unknown): word is Group => groups.some((one) => one === word);

/** What the URL says, without what is not understood. */
export function readEventSearch({ type, server }: Record<string, unknown>): EventSearch {
  const id = Number(server);
  return {
    ...((isProjectType(type) || isGroup(type)) && { type }),
    ...(Number.isSafeInteger(id) && id > 0 && { server: id }),
  };
}

export const hasFilters = ({ type, server }: EventSearch): boolean => Boolean(type || server);

const typesOf = (type: WebhookType | Group): WebhookType[] =>
  isGroup(type) ? projectTypes.filter((one) => one.startsWith(`${type}.`)) : [type];

/** The parameters of `GET /v1/events`. */
export const queryOf = ({ type, server }: EventSearch) => ({
  ...(type && { type: typesOf(type) }),
  ...(server && { server_id: [server] }),
});

/** Whether the filters select an event. */
export function selects({ type, server }: EventSearch, event: Pick<Event, 'type' | 'server_id'>) {
  const isType = !type || typesOf(type).some((one) => one === event.type);
  return isType && (!server || event.server_id === server);
}
