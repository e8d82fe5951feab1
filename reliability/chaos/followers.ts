import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from '@berth/contract/events';
import { pino } from 'pino';
import { query } from '../../e2e/database.ts';
import { dataDirectory } from '../../e2e/service.ts';
import { createCredentialCache } from '../../service/src/callers/credential-cache.ts';
import { createDb, createPool } from '../../service/src/db/connection.ts';
import { joinEmbeddedPostgres } from '../../service/src/db/embedded/embedded.ts';
import { listenForNotifications } from '../../service/src/db/notifications.ts';
import { createEventFeed } from '../../service/src/events/feed.ts';
import { eventRoutes } from '../../service/src/events/routes.ts';
import { createTestApp } from '../../service/src/testing/app.ts';
import { openEvents } from '../../service/src/testing/event-source.ts';
import { untoldByEvents } from '../../service/src/testing/told-events.ts';
import { eventually } from '../../service/src/testing/until.ts';
import type { World } from './worlds.ts';

const settledSeconds = 120;
const againMs = 100;
/** A stream is also left every few seconds, so that some are while events are written. */
const longestStreamMs = 4000;

export interface Followers extends AsyncDisposable {
  /** Checks that each has every event once and in order, and that the events tell of every change. */
  check(): Promise<void>;
  counts(): { events: number; streams: number };
}

/**
 * Subscribers of all events: one of the service, one of another replica, which shares its database, and one that goes
 * from one to the other. All resume after their last event, whoever has ended their stream.
 */
export async function followEvents({ directory, service }: World): Promise<Followers> {
  const stack = new AsyncDisposableStack();
  const other = await startReplica(stack, directory);
  const closing = new AbortController();
  const headers = { authorization: `Bearer ${service.token}` };
  const followers = [[service.url], [other], [service.url, other]].map((urls) => ({
    urls,
    events: [] as Event[],
    streams: 0,
  }));
  const running = followers.map(async (follower) => {
    let last: number | undefined = 0;
    while (!closing.signal.aborted) {
      const url = `${follower.urls[follower.streams % follower.urls.length]}/v1/events`;
      const stream = openEvents(url, { ...headers, 'last-event-id': String(last) });
      closing.signal.addEventListener('abort', stream.close, { once: true });
      const timer = setTimeout(stream.close, longestStreamMs);
      const refusal = await stream.begun.catch((error: Error) => error);
      await stream.ended;
      clearTimeout(timer);
      closing.signal.removeEventListener('abort', stream.close);
      follower.events.push(...stream.events);
      last = stream.lastId ?? last;
      if (!refusal) follower.streams += 1;
      else if (isLasting(refusal)) throw refusal;
      else await sleep(againMs);
    }
  });
  const failed = Promise.all(running).then(() => undefined);
  failed.catch(() => undefined);
  stack.defer(async () => {
    closing.abort();
    await failed;
  });

  async function complete(): Promise<void> {
    const written = await query<{ id: number }>(
      directory,
      `select id::int from events order by id`,
    );
    const left = await query(directory, 'select 1 from event_outbox');
    assert.deepEqual(left, [], 'no event waits for its id');
    for (const { events, urls } of followers) {
      const ids = events.map(({ id }) => id);
      assert.deepEqual(
        ids,
        written.map(({ id }) => id),
        `every event of ${urls} arrived once, in order`,
      );
    }
    assert.deepEqual(await query(directory, untoldByEvents), [], 'the events tell of every change');
  }

  return {
    // An error of a follower is thrown at once.
    check: () => Promise.race([failed, eventually(complete, settledSeconds)]),
    counts: () => ({
      events: followers[0]?.events.length ?? 0,
      streams: followers.reduce((sum, { streams }) => sum + streams, 0),
    }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Whether trying again would not help, such as when events are gone. Otherwise the service is just away. */
const isLasting = ({ message }: Error) => /^4\d\d /.test(message) && !message.startsWith('429 ');

/** The API of another replica, without its own workers: those of the service assume that they are alone. */
async function startReplica(stack: AsyncDisposableStack, directory: string): Promise<string> {
  const dataDir = dataDirectory(directory);
  const { connectionString } = await joinEmbeddedPostgres({ dataDir });
  const log = pino({ enabled: false });
  const db = createDb(createPool(connectionString));
  stack.defer(() => db.destroy());
  const notifications = listenForNotifications(connectionString, log);
  stack.defer(() => notifications.close());
  const events = createEventFeed({ db, notifications, log });
  const credentials = createCredentialCache(notifications);
  const app = await createTestApp(db, [eventRoutes], { events, credentials });
  stack.defer(() => app.close());
  return await app.listen();
}
