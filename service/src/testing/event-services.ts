import { duplexPair } from 'node:stream';
import { after, afterEach } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import type { App } from '../callers/app-types.ts';
import { createCredentialCache } from '../callers/credential-cache.ts';
import { listenForNotifications } from '../db/notifications.ts';
import type { ShellSettings } from '../edge/settings.ts';
import { createEventFeed, type FeedSettings } from '../events/feed.ts';
import { keptEvents } from '../events/feed-queries.ts';
import { moveAllEvents } from '../events/move.ts';
import { eventRoutes } from '../events/routes.ts';
import type { StreamEnd } from '../events/stream.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp, createTestToken } from './app.ts';
import { type EventSource, openEvents } from './event-source.ts';
import { installation } from './fixtures.ts';
import { createTestDatabase } from './postgres.ts';
import { until } from './until.ts';

interface ServiceSettings extends Pick<FeedSettings, 'behindMs' | 'heartbeatMs'> {
  shell?: ShellSettings;
}

const log = pino({ enabled: false });
const heartbeatMs = 100;

/** Two services of one database that send events, and what tests need to follow them. */
export async function startEventServices() {
  const { db, connectionString, close } = await createTestDatabase();
  after(close);
  const place = await installation(db);
  const ends: StreamEnd[] = [];

  /** A service with the routes of events, which listens. */
  async function startService({ shell, ...settings }: ServiceSettings = {}) {
    const notifications = listenForNotifications(connectionString, log);
    const observer = {
      ended: (why: StreamEnd) => void ends.push(why),
      sent: () => undefined,
      streams: () => undefined,
    };
    const events = createEventFeed({ db, notifications, log, observer, heartbeatMs, ...settings });
    const credentials = createCredentialCache(notifications);
    const app = await createTestApp(db, [eventRoutes, sessionRoutes], {
      ...{ events, credentials },
      ...(shell && { shell }),
    });
    const url = await app.listen();
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= app.close().then(() => notifications.close());
      return stopped;
    };
    after(stop);
    return { app, url: `${url}/v1/events`, stop };
  }

  const [one, two] = [await startService(), await startService()];
  const token = await createTestToken(db, { scopes: ['servers:read'] });

  const streams: EventSource[] = [];
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });

  /** A stream. It begins after all events so far, unless `headers` has another position. */
  async function follow(
    url = one.url,
    headers: Record<string, string> = token.headers,
  ): Promise<EventSource> {
    await moveAllEvents(db, 'inTurn');
    const from = 'last-event-id' in headers ? 0 : (await keptEvents(db)).last;
    // A service may hear of an event after it was moved.
    return await until('a stream begins after all events so far', async () => {
      const stream = openEvents(url, headers);
      streams.push(stream);
      await stream.begun;
      if ((stream.lastId ?? 0) >= from) return stream;
      stream.close();
      return undefined;
    });
  }

  const resumeAfter = (id: number | undefined) => ({
    ...token.headers,
    'last-event-id': String(id),
  });
  const setStatus = (id: number, status: string) =>
    sql`update servers set status = ${status} where id = ${id}`.execute(db);
  return { db, place, ends, startService, one, two, token, follow, resumeAfter, setStatus };
}

/** A client that reads nothing until it is resumed. There is no kernel, whose buffers would be large. */
export function openUnread(app: App, headers: Record<string, string>) {
  const [client, connection] = duplexPair();
  app.server.emit('connection', Object.assign(connection, { remoteAddress: '127.0.0.1' }));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  client.write(
    `GET /v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines.join('')}\r\n`,
  );
  after(() => client.destroy());
  return client;
}
