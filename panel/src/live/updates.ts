import { type Event, items, type Operation } from '@berth/client';
import type { QueryClient } from '@tanstack/react-query';
import { berth } from '../api/berth.ts';
import { isMissing } from '../api/words.ts';
import { inBackground } from '../background.ts';
import { takeEvent } from '../events/take.ts';
import { operationsAfter } from '../operations/after.ts';
import { expectations } from '../servers/actions/toasts.tsx';
import { hasFilters, type ServerSearch } from '../servers/list/search.ts';
import { serverQuery } from '../servers/one/queries.ts';
import {
  type Activities,
  type Activity,
  activitiesAfter,
  changesLists,
  type Server,
  serverAfter,
  serversAfter,
  serverToRead,
  withServer,
} from './apply.ts';

/** Events that follow each other closely change the page once. */
const togetherMs = 50;
/** And cause one request. */
const collectMs = 300;
/** A list is not read more often, and one of thousands of servers less. */
const listsMs = 2000;
const longListsMs = 10_000;
const long = 1000;
/** With more servers, reading the list anew is less work. */
const mostSingleReads = 20;

type SetActivities = (change: (activities: Activities) => Activities) => void;

/** Keeps what was read in line with events. */
export function createUpdates(queries: QueryClient, setActivities: SetActivities) {
  let taken: Event[] = [];
  const toRead = new Set<number>();
  let areListsRead = false;
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

  const lists = () => queries.getQueriesData<readonly Server[]>({ queryKey: ['servers'] });

  function readListsSoon(): void {
    const isLong = lists().some(([, servers]) => (servers?.length ?? 0) > long);
    soon(readLists, isLong ? longListsMs : listsMs);
  }

  async function readListsOnce(): Promise<void> {
    areListsRead = true;
    // One that is not on the page would be shown as it was, until it has been read.
    queries.removeQueries({ queryKey: ['servers'], type: 'inactive' });
    await queries.invalidateQueries({ queryKey: ['servers'] });
    areListsRead = false;
  }

  /** A list that is being read is not begun anew, but read once more afterwards. */
  function readLists(): void {
    if (areListsRead) readListsSoon();
    else inBackground(readListsOnce());
  }

  function readServers(): void {
    const ids = [...toRead];
    toRead.clear();
    for (const id of ids) {
      inBackground(queries.invalidateQueries({ queryKey: ['server', id] }));
      inBackground(queries.invalidateQueries({ queryKey: ['operations', id] }));
    }
    // What is being read may be older, and replace what is read now.
    if (ids.length > mostSingleReads || areListsRead) readListsSoon();
    else for (const id of ids) inBackground(readServer(id));
  }

  async function readServer(id: number): Promise<void> {
    if (!lists().some(([, servers]) => servers?.some((one) => one.id === id))) return;
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

  function changeServers(events: readonly Event[]): void {
    changeLists((servers) => serversAfter(servers, events));
    const ids = new Set(events.flatMap(({ server_id }) => server_id ?? []));
    for (const id of ids) {
      // What else is read about a server has longer keys.
      queries.setQueryData(
        serverQuery(id).queryKey,
        (server) => server && serverAfter(server, events),
      );
    }
  }

  function takeOperations(events: readonly Event[]): void {
    if (!events.some(({ type }) => type.startsWith('operation.'))) return;
    queries.setQueriesData<readonly Operation[]>(
      { queryKey: ['operations'] },
      (operations) => operations && events.reduce(operationsAfter, operations),
    );
    soon(readOperations, listsMs);
  }

  function take(event: Event): void {
    taken.push(event);
    soon(showTaken, togetherMs);
  }

  function showTaken(): void {
    const events = taken;
    taken = [];
    setActivities((activities) => activitiesAfter(activities, events));
    changeServers(events);
    takeOperations(events);
    soon(readWebhooks, listsMs);
    for (const event of events) takeOne(event);
  }

  function takeOne(event: Event): void {
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
    const isFiltered = lists().some(([[, search]]) => hasFilters(search as ServerSearch));
    if (changesLists(event, isFiltered)) readListsSoon();
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
