import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { WebSocket } from 'ws';
import { identifyLasting } from '../access/lasting.ts';
import type { Deps } from '../callers/app-types.ts';
import type { NotificationListener } from '../db/notifications.ts';
import { withoutClaim } from '../db/queue/claim.ts';
import { background } from '../lib/background.ts';
import { Problem } from '../problems/problem.ts';
import { type Attachment, attach, keptBytes } from './attachment.ts';
import {
  deleteConsole,
  type OpenedConsole,
  redeemTicket,
  renewConsole,
} from './connection-queries.ts';
import type { Ending } from './endings.ts';
import { keepRecent } from './recent.ts';
import { type EngineOfServer, sourceOf } from './source.ts';
import { createViewer, type Viewer } from './viewer.ts';

/** What is known of a viewer beyond its connection. */
interface Watching {
  opened: OpenedConsole;
  viewer: Viewer;
  address: string;
  log: FastifyBaseLogger;
  timer: NodeJS.Timeout | undefined;
}

export interface Consoles {
  /**
   * Uses up a ticket. Undefined if it is not valid; throws if its caller may no longer open the console. From this on, the
   * consoles of the server in other processes end.
   */
  redeem(ticketHash: Buffer, address: string): Promise<OpenedConsole | undefined>;
  /** Shows a console on a connection until either ends. */
  join(
    opened: OpenedConsole,
    socket: WebSocket,
    from: { address: string; log: FastifyBaseLogger },
  ): void;
  /** Forgets a console whose connection was closed before it was shown. */
  forget(opened: OpenedConsole): void;
  /** Ends all, and refuses others. */
  stop(): Promise<void>;
}

export interface ConsoleTimes {
  pingMs: number;
  lookMs: number;
  silentMs: number;
  idleMs: number;
  lingerMs: number;
  slowMs: number;
  /** How often the caller is looked up again, and the lease renewed, if nothing is heard of a change. */
  checkMs: number;
}

export const usualTimes: ConsoleTimes = {
  pingMs: 30_000,
  lookMs: 2000,
  silentMs: 75_000,
  idleMs: 3_600_000,
  lingerMs: 2000,
  slowMs: 5000,
  checkMs: 30_000,
};

interface HubSettings extends Pick<Deps, 'db' | 'credentials'> {
  notifications: Pick<NotificationListener, 'on' | 'onLost'>;
  engineOf: EngineOfServer;
  log: FastifyBaseLogger;
  times?: Partial<ConsoleTimes>;
}

const scope = 'servers:write';
const leastCheckMs = 200;
/** Of so many consoles, the last output is kept after the last viewer has left. */
const mostKept = 100;

/** The consoles of servers that are open in this process. */
export function createConsoles(settings: HubSettings): Consoles {
  const { db, notifications, log } = settings;
  const times = { ...usualTimes, ...settings.times };
  const holder = randomUUID();
  const attachments = new Map<number, Attachment>();
  const keptOf = keepRecent(mostKept, keptBytes);
  const watching = new Set<Watching>();
  const works = background();
  let isStopping = false;

  /** Not as a part of the request, which has ended. */
  const inBackground = (work: () => Promise<void>, words: string) =>
    withoutClaim(() => works.run(work, (error) => log.warn({ err: error }, words)));

  function attachmentOf(opened: OpenedConsole): Attachment {
    const { serverId } = opened;
    const known = attachments.get(serverId);
    if (known) return known;
    const over = () => {
      if (attachments.get(serverId) === made) attachments.delete(serverId);
    };
    const source = sourceOf({ ...settings, holder }, opened);
    const kept = keptOf(serverId);
    const made: Attachment = withoutClaim(() => attach({ ...source, ...times, kept, over }));
    attachments.set(serverId, made);
    return made;
  }

  function forget({ id }: OpenedConsole): void {
    inBackground(
      () => deleteConsole(db, id),
      'A closed console could not be removed. It counts until its lease ends.',
    );
  }

  /** Ends a console whose caller may no longer use it, and renews its lease otherwise. */
  async function check(one: Watching): Promise<void> {
    const { opened, viewer } = one;
    const [expiresAt, isKept] = await Promise.all([
      identifyLasting(settings, { ...opened, address: one.address }, scope),
      renewConsole(db, opened.id),
    ]);
    if (!isKept) return viewer.end('access');
    const left = expiresAt === null ? times.checkMs : Date.parse(expiresAt) - Date.now();
    checkLater(one, Math.max(leastCheckMs, Math.min(left, times.checkMs)));
  }

  function checkLater(one: Watching, milliseconds: number): void {
    clearTimeout(one.timer);
    if (watching.has(one)) one.timer = setTimeout(() => checkSoon(one), milliseconds);
  }

  function checkSoon(one: Watching): void {
    inBackground(async () => {
      await check(one).catch((error: unknown) => {
        if (error instanceof Problem && error.code !== 'unavailable')
          return one.viewer.end('access');
        checkLater(one, times.checkMs);
        throw error;
      });
    }, 'The caller of a console could not be looked up. This will be retried.');
  }

  const checkAll = () => {
    for (const one of watching) checkSoon(one);
  };
  notifications.on('credentials_changed', checkAll);
  notifications.onLost(checkAll);

  return {
    async redeem(ticketHash, address) {
      if (isStopping) throw new Problem('unavailable', 'The service restarts.', { retryAfter: 2 });
      const opened = await redeemTicket(db, ticketHash, holder);
      if (!opened) return undefined;
      try {
        await identifyLasting(settings, { ...opened, address }, scope);
        return opened;
      } catch (error) {
        forget(opened);
        throw error;
      }
    },
    join(opened, socket, { address, log: ofRequest }) {
      const about = { console_id: opened.id, server_id: opened.serverId, address };
      const attachment = attachmentOf(opened);
      const viewer = createViewer(
        socket,
        {
          typed: attachment.type,
          resized: attachment.resize,
          read: attachment.relieve,
          closed(code) {
            watching.delete(one);
            clearTimeout(one.timer);
            attachment.remove(viewer);
            forget(opened);
            ofRequest.info({ ...about, code }, 'A console was closed.');
          },
        },
        times,
      );
      const one: Watching = { opened, viewer, address, log: ofRequest, timer: undefined };
      watching.add(one);
      ofRequest.info(about, 'A console was opened.');
      if (isStopping) return viewer.end('stopping');
      attachment.add(viewer);
      checkSoon(one);
    },
    forget,
    async stop() {
      isStopping = true;
      const end = (why: Ending) => {
        for (const { viewer } of watching) viewer.end(why);
        for (const attachment of attachments.values()) attachment.end(why);
      };
      end('stopping');
      // A connection ends only after its client has answered, or has not for a while.
      await Promise.all([...watching].map(({ viewer }) => viewer.gone));
      await works.idle();
    },
  };
}
