import { type Event, items, type Operation } from '@berth/client';
import type { QueryClient } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';
import { isMissing } from '../api/words.ts';
import { inBackground } from '../background.ts';
import { takeEvent } from '../events/take.ts';
import { operationsAfter } from '../operations/after.ts';
import { expectations } from '../servers/actions/toasts.tsx';
import { hasFilters, type ServerSearch } from '../servers/list/search.ts';
import {
  type Activities,
  type Activity,
  activitiesAfter,
  changesLists,
  type Server,
  serversAfter,
  serverToRead,
  withServer,
} from './apply.ts';

/** Events that follow each other closely cause one request. */
const collectMs = 300;
/** A list of thousands of servers is not read more often. */
const listsMs = 2000;
/** With more servers, reading the list anew is less work. */
const mostSingleReads = 20;

type SetActivities = (change: (activities: Activities) => Activities) => void;

/** Keeps what was read in line with events. */
export function createUpdates(queries: QueryClient, setActivities: SetActivities) {
  const toRead = new Set<number>();
  /** Operations that have ended since those in progress were last read. */
  const ended = new Set<number>();
  const timers = new Map<() => void, ReturnType<typeof setTimeout>>();

  function soon(act: () => void, ms: number): void {
    if (timers.has(act)) return;
    const run = () => {
      timers.delete(act);
      act();
    };
    timers.set(act, setTimeout(run, ms));
  }

  const readOperations = () =>
    inBackground(queries.invalidateQueries({ queryKey: ['operations', 'project'] }));

  /** Each event may be sent to webhooks, and some tell that one was paused. */
  const readWebhooks = () => inBackground(queries.invalidateQueries({ queryKey: ['webhooks'] }));

  /** What counts servers, and what records each change. */
  function readRecords(): void {
    for (const key of ['quota', 'audit'])
      inBackground(queries.invalidateQueries({ queryKey: [key] }));
  }

  const readLists = () => inBackground(queries.invalidateQueries({ queryKey: ['servers'] }));

  function readServers(): void {
    const ids = [...toRead];
    toRead.clear();
    for (const id of ids) {
      inBackground(queries.invalidateQueries({ queryKey: ['server', id] }));
      inBackground(queries.invalidateQueries({ queryKey: ['operations', id] }));
    }
    if (ids.length > mostSingleReads) readLists();
    else for (const id of ids) inBackground(readServer(id));
  }

  async function readServer(id: number): Promise<void> {
    const lists = queries.getQueriesData<readonly Server[]>({ queryKey: ['servers'] });
    if (!lists.some(([, servers]) => servers?.some((one) => one.id === id))) return;
    try {
      const { data } = await berth.GET('/v1/servers/{id}', { params: { path: { id } } });
      changeLists((servers) => withServer(servers, data));
    } catch (error) {
      // It was deleted meanwhile, which another event says. Other errors are shown by reading the list.
      if (!isMissing(error)) readLists();
    }
  }

  function changeLists(change: (servers: readonly Server[]) => readonly Server[]): void {
    queries.setQueriesData<readonly Server[]>(
      { queryKey: ['servers'] },
      (servers) => servers && change(servers),
    );
  }

  function takeOperation(event: Event): void {
    if (!event.type.startsWith('operation.')) return;
    queries.setQueriesData<readonly Operation[]>(
      { queryKey: ['operations'] },
      (operations) => operations && operationsAfter(operations, event),
    );
    soon(readOperations, listsMs);
  }

  function take(event: Event): void {
    setActivities((activities) => activitiesAfter(activities, event));
    changeLists((servers) => serversAfter(servers, event));
    takeOperation(event);
    soon(readWebhooks, listsMs);
    if (event.type !== 'operation.progress') soon(readRecords, listsMs);
    takeEvent(queries, event);
    expectations.take(event);
    if (event.type === 'operation.ended') ended.add(event.data.operation.id);
    const id = serverToRead(event);
    if (id !== undefined) {
      toRead.add(id);
      soon(readServers, collectMs);
    }
    if (event.type === 'server.deleted')
      inBackground(queries.invalidateQueries({ queryKey: ['server', event.server_id] }));
    const isFiltered = queries
      .getQueriesData({ queryKey: ['servers'] })
      .some(([[, search]]) => hasFilters(search as ServerSearch));
    if (changesLists(event, isFiltered)) soon(readLists, listsMs);
  }

  /** Reads everything, and what is in progress. */
  function readAll(): void {
    for (const key of [
      ...['servers', 'server', 'operations', 'webhooks', 'events'],
      ...['quota', 'audit'],
    ])
      inBackground(queries.invalidateQueries({ queryKey: [key] }));
    ended.clear();
    setActivities(() => new Map());
    inBackground(readActivities());
  }

  async function readActivities(): Promise<void> {
    const found = new Map<number, Activity>();
    const query = { status: ['pending' as const, 'running' as const] };
    for await (const operation of items(berth, '/v1/operations', { params: { query } })) {
      if (operation.server_id !== null) found.set(operation.server_id, operation);
    }
    // Events that arrived meanwhile are newer.
    const open = [...found].filter(([, { id }]) => !ended.has(id));
    setActivities((activities) => new Map([...open, ...activities]));
  }

  function stop(): void {
    for (const timer of timers.values()) clearTimeout(timer);
    timers.clear();
  }

  return { take, readAll, stop };
}
