import { setImmediate } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import type { NotificationListener } from '../db/notifications.ts';
import { withoutClaim } from '../db/queue/claim.ts';
import { createOutage } from '../lib/outage.ts';
import { Problem } from '../problems/problem.ts';
import { announceEvents, eventsAtOnce, eventsIn, keptEvents, moveEvents } from './feed-queries.ts';
import type { EventRow, KeptEvents } from './queries.ts';
import type { StreamEnd } from './stream.ts';
import { eventText } from './view.ts';

/** An event, and its text, which all streams share. */
export interface SharedEvent extends EventRow {
  text: Buffer;
}

/** A stream, as the feed knows it. */
export interface Follower {
  /** The last event that it has sent, or that was not for it. */
  readonly position: number;
  /** Sends events, of which it ignores those up to its position. */
  take(events: readonly SharedEvent[]): void;
  /** Called at intervals, whether or not there are events. */
  beat(): void;
  /** Its caller may no longer read what it has read so far, so this must be checked before it sends more. */
  recheck(): void;
  end(why: StreamEnd): void;
}

/** Reads all new events once, whatever the number of streams. */
export interface EventFeed {
  /** The last event that was read. */
  readonly position: number;
  /** Which events are kept now. */
  kept(): Promise<KeptEvents>;
  /** Looks up a credential, of which only a few are at once: a change makes all streams do so. */
  lookUp<T>(work: () => Promise<T>): Promise<T>;
  /** Whether changes of credentials are heard of. Must be asked before a credential is looked up. */
  hearsChanges(): boolean;
  /**
   * Counts a stream, and begins to read. The stream gets nothing until it is attached. Throws `unavailable` (503) if no events
   * can be read.
   */
  enter(follower: Follower): Promise<void>;
  leave(follower: Follower): void;
  /**
   * Gives a stream the recent events after its position, and all new ones from now on. Returns false if it lags further
   * behind, so that it must read from the database first.
   */
  attach(follower: Follower): boolean;
  detach(follower: Follower): void;
  /** Ends all streams, and refuses others. */
  stop(): Promise<void>;
  readonly isStopping: boolean;
  /** Milliseconds after which a client that reads nothing is cut off. */
  readonly behindMs: number;
  /** Counts a stream that the service has ended. */
  ended(why: StreamEnd): void;
}

/** Receives what happens to streams. */
export interface FeedObserver {
  /** The number of open streams has changed. */
  streams(count: number): void;
  /** The service has ended a stream. */
  ended(why: StreamEnd): void;
  /** An event was sent to all streams, so long after it was written. */
  sent(seconds: number): void;
}

export interface FeedSettings {
  db: Db;
  notifications: Pick<NotificationListener, 'on' | 'onLost'>;
  log: Logger;
  observer?: FeedObserver;
  /** Milliseconds between heartbeats. */
  heartbeatMs?: number;
  /** Milliseconds after which a client that reads nothing is cut off. */
  behindMs?: number;
}

/** The interval at which the outbox is emptied while there are streams. */
const pollMs = 50;
const retryMs = 500;
const usualHeartbeatMs = 15_000;
const usualBehindMs = 30_000;
/** What is kept of the last events, for streams that come back. */
const mostRecent = { events: 5000, bytes: 4 * 1024 * 1024 };
/** How many streams get events before other work has a turn. */
const followersInTurn = 100;
const longestEnterMs = 15_000;
const lookupsAtOnce = 4;
const words = {
  failed: 'New events could not be read. This will be retried.',
  works: 'New events are read again.',
};

export function createEventFeed(settings: FeedSettings): EventFeed {
  const { db, notifications, log, observer } = settings;
  const { heartbeatMs = usualHeartbeatMs, behindMs = usualBehindMs } = settings;
  const followers = new Set<Follower>();
  const attached = new Set<Follower>();
  const recent = createRecent();
  const lookUp = pLimit(lookupsAtOnce);
  const outage = createOutage(log, words);
  let position: number | undefined;
  /**
   * The last event that was announced; undefined while announcements may be missed. Later ones are not read, because a
   * change of credentials before them is only sure to have been heard of with their announcement.
   */
  let announced: number | undefined;
  let isStopping = false;
  /** It runs as long as there are streams. */
  let running: Promise<void> | undefined;
  /** Resolves when there is something to do: with whether it is only the time to look for it. */
  let hint = Promise.withResolvers<boolean>();
  /** Resolves after the next round, whether or not it failed. */
  let round = Promise.withResolvers<void>();

  async function publish(rows: readonly EventRow[]): Promise<void> {
    const events = rows.map((row) => ({ ...row, text: Buffer.from(eventText(row)) }));
    recent.add(events);
    let sent = 0;
    // One that is attached meanwhile gets these events as recent ones, and ignores them here.
    for (const follower of attached) {
      follower.take(events);
      sent += 1;
      if (sent % followersInTurn === 0) await setImmediate();
    }
    for (const { at } of rows) observer?.sent((Date.now() - Date.parse(at)) / 1000);
  }

  async function read(): Promise<void> {
    if (position === undefined && announced !== undefined) {
      position = announced;
      recent.restart(position);
    }
    if (position !== undefined && announced !== undefined && announced < position) {
      // The database was restored, or one that lagged behind has taken over: later events will have the same ids.
      for (const follower of followers) follower.end('gone');
      position = announced;
      recent.restart(position);
    }
    while (position !== undefined && announced !== undefined && position < announced) {
      const span = { after: position, until: announced };
      const rows = await eventsIn(db, span);
      position = rows.length < eventsAtOnce ? span.until : (rows.at(-1)?.id ?? span.until);
      await publish(rows);
    }
  }

  /** Several services do this at the same time. Whoever moves events announces them to all. */
  async function run(): Promise<void> {
    let isTimeToMove = true;
    while (!isStopping && followers.size > 0) {
      let moved = 0;
      const move = async () => {
        if (isTimeToMove) moved = await moveEvents(db, 'ifFree');
      };
      const announce = async () => {
        if (isTimeToMove && announced === undefined) await announceEvents(db);
      };
      // A database that cannot be written to can still be read.
      const works = [await succeeds(move), await succeeds(announce), await succeeds(read)];
      const isWorking = works.every((one) => one);
      if (isWorking) outage.worked();
      endRound();
      if (moved < eventsAtOnce) isTimeToMove = await isOver(isWorking ? pollMs : retryMs);
    }
    position = undefined;
    running = undefined;
    endRound();
  }

  async function succeeds(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      outage.failed(error);
      return false;
    }
  }

  function endRound(): void {
    round.resolve();
    round = Promise.withResolvers<void>();
  }

  /** Waits for the time, or for a hint. Returns whether it was the time. */
  async function isOver(milliseconds: number): Promise<boolean> {
    const timer = setTimeout(() => hint.resolve(true), milliseconds);
    const isTime = await hint.promise;
    clearTimeout(timer);
    hint = Promise.withResolvers<boolean>();
    return isTime;
  }

  function recheckAll(): void {
    for (const follower of followers) follower.recheck();
  }

  function leave(follower: Follower): void {
    followers.delete(follower);
    observer?.streams(followers.size);
    attached.delete(follower);
  }

  const off = [
    notifications.on('events_written', ({ until }) => {
      announced = Math.max(announced ?? 0, until);
      hint.resolve(false);
    }),
    notifications.on('credentials_changed', recheckAll),
    notifications.onLost(() => {
      announced = undefined;
      recheckAll();
    }),
  ];
  const beats = setInterval(() => {
    for (const follower of followers) follower.beat();
  }, heartbeatMs).unref();

  return {
    get position() {
      return position ?? 0;
    },
    get isStopping() {
      return isStopping;
    },
    ended: (why) => observer?.ended(why),
    behindMs,
    kept: () => keptEvents(db),
    lookUp: (work) => lookUp(work),
    hearsChanges: () => announced !== undefined,
    async enter(follower) {
      followers.add(follower);
      observer?.streams(followers.size);
      running ??= withoutClaim(run);
      const until = performance.now() + longestEnterMs;
      while (position === undefined && !isStopping && followers.has(follower)) {
        if (performance.now() > until) {
          leave(follower);
          throw new Problem('unavailable', 'Events cannot be read at present. Try again.', {
            retryAfter: 5,
          });
        }
        await round.promise;
      }
    },
    leave,
    attach(follower) {
      if (position === undefined || follower.position < recent.floor) return false;
      attached.add(follower);
      const missed = recent.after(follower.position);
      if (missed.length > 0) follower.take(missed);
      return true;
    },
    detach: (follower) => {
      attached.delete(follower);
    },
    async stop() {
      isStopping = true;
      clearInterval(beats);
      for (const stop of off) stop();
      for (const follower of followers) follower.end('stopping');
      hint.resolve(false);
      round.resolve();
      await running;
    },
  };
}

/** The last events, within limits. */
function createRecent() {
  let events: SharedEvent[] = [];
  let bytes = 0;
  let floor = 0;
  return {
    /** All events after this one are there. */
    get floor() {
      return floor;
    },
    restart(position: number): void {
      events = [];
      bytes = 0;
      floor = position;
    },
    add(more: readonly SharedEvent[]): void {
      events.push(...more);
      for (const { text } of more) bytes += text.length;
      let over = 0;
      while (events.length - over > mostRecent.events || bytes > mostRecent.bytes) {
        const { id, text } = events[over] as SharedEvent;
        floor = id;
        bytes -= text.length;
        over += 1;
      }
      if (over > 0) events.splice(0, over);
    },
    after: (position: number) => events.slice(events.findLastIndex(({ id }) => id <= position) + 1),
  };
}
