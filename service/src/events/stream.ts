import type { OutgoingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '../access/authentication.ts';
import { readsAnyProject } from '../callers/every-project.ts';
import { isDatabaseUnavailable } from '../db/errors.ts';
import type { ProjectRows } from '../db/project.ts';
import { Problem } from '../problems/problem.ts';
import type { EventFeed, Follower, SharedEvent } from './feed.ts';
import { matches, type ReadableProjects } from './matches.ts';
import { type EventFilters, idsInSpan, listEvents } from './queries.ts';
import { eventText } from './view.ts';

/** Why a stream ended, apart from its client. */
export const streamEnds = ['slow', 'access', 'gone', 'stopping', 'error'] as const;
export type StreamEnd = (typeof streamEnds)[number];

export interface EventStream {
  feed: EventFeed;
  /** Those of the projects that the caller may read. */
  rows: ProjectRows;
  filters: EventFilters;
  /** The event after which it begins; undefined for the events from now on. */
  after: number | undefined;
}

/** No more is written to a client until it has read what was. */
const mostUnsentBytes = 64 * 1024;
/** Few, because a slow client keeps them in memory. */
const eventsInPage = 50;
const retryMs = 500;
/** How often a credential is looked up that has expired by the clock of this machine. */
const leastExpiryMs = 1000;
/** `setTimeout` takes no longer time. */
const mostExpiryMs = 86_400_000;
/** Whether it may work later. */
const isPassing = (error: unknown) =>
  isDatabaseUnavailable(error) || (error instanceof Problem && error.code === 'unavailable');

/** After which the client connects again, in milliseconds. */
const beginning = 'retry: 1000\n';

/**
 * Sends events until the client leaves or is too slow, the caller may no longer read them, or the service stops. The
 * position is sent even without an event, so that a client resumes there.
 */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  { feed, rows, filters, after }: EventStream,
): Promise<void> {
  const { raw } = reply;
  const { project } = request.caller;
  const readsAll = readsAnyProject(request);
  const readable: ReadableProjects = readsAll ? { all: true } : { all: false, id: project.id };
  let position = after ?? 0;
  let isOver = false;
  /** At the beginning, too: the caller was authenticated before changes were followed. */
  let mustCheck = true;
  let unsentSince: number | undefined;
  /** Since when nothing more could be written. */
  let fullSince: number | undefined;
  let sentBytes = 0;
  let expiry: NodeJS.Timeout | undefined;
  /** Resolves when the stream is no longer attached. */
  let detached = Promise.withResolvers<void>();

  function stopSending(): void {
    isOver = true;
    clearTimeout(expiry);
    feed.leave(follower);
    detached.resolve();
  }

  function leaveFeed(): void {
    feed.detach(follower);
    detached.resolve();
  }

  function end(why: StreamEnd): void {
    if (isOver) return;
    stopSending();
    feed.ended(why);
    if (why === 'slow') {
      request.log.info('A client that read its events too slowly was disconnected.');
      raw.destroy();
    } else if (raw.headersSent) endSoon();
  }

  /** A client that does not read must not keep what was written in memory. */
  function endSoon(): void {
    raw.end();
    const timer = setTimeout(() => raw.destroy(), feed.behindMs);
    raw.once('close', () => clearTimeout(timer));
  }

  const isFull = () => raw.writableLength > mostUnsentBytes;

  const follower: Follower = {
    get position() {
      return position;
    },
    take(events: readonly SharedEvent[]) {
      const texts: Buffer[] = [];
      let unsentBytes = raw.writableLength;
      for (const event of events) {
        if (event.id <= position) continue;
        if (unsentBytes > mostUnsentBytes) {
          leaveFeed();
          break;
        }
        position = event.id;
        if (!matches(event, filters, readable)) continue;
        texts.push(event.text);
        unsentBytes += event.text.length;
      }
      const [first, ...more] = texts;
      if (first) raw.write(more.length > 0 ? Buffer.concat(texts) : first);
    },
    beat() {
      // It would begin the response without its headers.
      if (!raw.headersSent) return;
      const before = sentBytes;
      sentBytes = (raw.socket?.bytesWritten ?? 0) - (raw.socket?.writableLength ?? 0);
      if (raw.writableLength === 0 || sentBytes > before) unsentSince = undefined;
      else unsentSince ??= performance.now();
      if (unsentSince !== undefined && performance.now() - unsentSince > feed.behindMs) end('slow');
      else if (raw.writableLength === 0) raw.write(`: heartbeat\nid: ${position}\n\n`);
    },
    recheck() {
      mustCheck = true;
      leaveFeed();
    },
    end,
  };

  /** The credential is looked up again when it would expire: a session may have been extended. */
  function awaitExpiry({ caller, person }: Pick<Identity, 'caller' | 'person'>): void {
    clearTimeout(expiry);
    const at = person?.expiresAt ?? caller?.expiresAt;
    if (!at) return;
    const left = Math.max(Date.parse(at) - Date.now(), leastExpiryMs);
    expiry = setTimeout(follower.recheck, Math.min(left, mostExpiryMs));
  }

  /** Ends the stream if another request of the caller would not get the same events. */
  async function check(): Promise<void> {
    mustCheck = false;
    try {
      // Otherwise a later change could be missed.
      while (!feed.hearsChanges() && !isOver) await sleep(retryMs / 5);
      if (isOver) return;
      const identity = await feed.lookUp(() => request.server.identifyAgain(request));
      const now = { caller: identity.caller ?? request.caller, headers: request.headers };
      if (isOver) return;
      const isSame = now.caller.project.id === project.id && readsAnyProject(now) === readsAll;
      if (isSame) awaitExpiry(identity);
      else end('access');
    } catch (error) {
      if (!isPassing(error)) {
        if (error instanceof Problem) return end('access');
        throw error;
      }
      mustCheck = true;
      await sleep(retryMs);
    }
  }

  /** Sends a page of the events that it has missed. */
  async function catchUp(): Promise<void> {
    const from = position;
    const until = Math.min(feed.position, from + idsInSpan);
    try {
      const missed = listEvents(rows, filters, { after: from, until });
      const page = await missed.page(undefined, eventsInPage);
      const { goneUntil } = await feed.kept();
      if (isOver || mustCheck) return;
      // Some may have been removed before they were read. The client is told so when it resumes.
      if (goneUntil > from) return end('gone');
      if (page.length > 0) raw.write(page.map(eventText).join(''));
      position = page.length < eventsInPage ? until : (page.at(-1)?.id ?? until);
    } catch (error) {
      if (!isPassing(error)) throw error;
      await sleep(retryMs);
    }
  }

  /** Waits until the client has read everything. There is no `drain` after writes that returned true. */
  async function drained(): Promise<void> {
    const written = Promise.withResolvers<void>();
    fullSince ??= performance.now();
    const left = Math.max(0, fullSince + feed.behindMs - performance.now());
    const timer = setTimeout(() => end('slow'), left);
    raw.write(':\n\n', () => written.resolve());
    await Promise.race([written.promise, detached.promise]);
    clearTimeout(timer);
  }

  async function follow(): Promise<void> {
    while (!isOver) {
      detached = Promise.withResolvers<void>();
      if (!isFull()) fullSince = undefined;
      if (mustCheck) await check();
      else if (isFull()) await drained();
      else if (feed.attach(follower)) await detached.promise;
      else await catchUp();
    }
  }

  if (raw.closed) return;
  raw.once('close', stopSending);
  await feed.enter(follower);
  if (raw.closed) return;
  position = after ?? feed.position;
  reply.hijack();
  // Some proxies would otherwise collect the answer until it ends.
  reply.type('text/event-stream; charset=utf-8').header('X-Accel-Buffering', 'no');
  raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders);
  // A refusal would end an `EventSource` for good, whereas this makes it connect again.
  if (feed.isStopping) {
    stopSending();
    raw.end(`${beginning}\n`);
    return;
  }
  raw.write(`${beginning}id: ${position}\n\n`);
  follow().catch((error: unknown) => {
    request.log.error({ err: error }, 'A stream of events failed.');
    end('error');
  });
}
