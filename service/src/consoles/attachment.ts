import type { ConsoleSize, EngineConsole } from '../incus/consoles.ts';
import type { Ending } from './endings.ts';
import { createRecent } from './recent.ts';
import type { Viewer } from './viewer.ts';

/** The console of one server, which all its viewers in this process share. */
export interface Attachment {
  add(viewer: Viewer): void;
  remove(viewer: Viewer): void;
  type(bytes: Buffer): void;
  resize(size: ConsoleSize): void;
  /** A viewer has read something. */
  relieve(): void;
  end(why: Ending): void;
}

export interface AttachmentSource {
  /** What the guest has printed so far. */
  readLog(most: number, signal: AbortSignal): Promise<Buffer>;
  connect(signal: AbortSignal): Promise<EngineConsole>;
  /** Gives the guest's terminal a size. */
  setSize(console: EngineConsole, size: ConsoleSize, signal: AbortSignal): Promise<void>;
  /** Why a connection has ended, or why there is none. */
  whyEnded(console: EngineConsole | undefined): Promise<Ending>;
  /** Nothing more is done with it: it has ended, or its last viewer has left. */
  over(): void;
  pingMs: number;
  /** How long the engine may show no sign that it is there. */
  silentMs: number;
  /** How long one viewer may keep the others waiting. */
  slowMs: number;
}

const keptBytes = 64 * 1024;
/** The guest is held up once a viewer has not read so much, until it has read all but the other part. */
const unread = { most: 256 * 1024, few: 64 * 1024 };
/** The same of what is typed. */
const mostUntyped = 256 * 1024;

/**
 * Connects to a console. Its output goes to all viewers at the speed of the slowest, so that little of it is in memory: the
 * guest waits as it would for a slow terminal. One that keeps others waiting is cut off.
 */
export function attach(source: AttachmentSource): Attachment {
  const viewers = new Set<Viewer>();
  const recent = createRecent(keptBytes);
  const leaving = new AbortController();
  const { signal } = leaving;
  let console: EngineConsole | undefined;
  let size: ConsoleSize | undefined;
  let isSizing = false;
  let isHeld = false;
  let holding: NodeJS.Timeout | undefined;

  function welcome(viewer: Viewer): void {
    const bytes = recent.read();
    if (bytes.length > 0) viewer.show(bytes);
    viewer.holdInput(false);
  }

  function show(bytes: Buffer): void {
    recent.add(bytes);
    for (const viewer of viewers) viewer.show(bytes);
    if (isHeld || [...viewers].every((viewer) => viewer.unread <= unread.most)) return;
    isHeld = true;
    console?.data.pause();
    holding = setTimeout(cutOffSlow, source.slowMs);
  }

  function relieve(): void {
    if (!isHeld || [...viewers].some((viewer) => viewer.unread > unread.few)) return;
    isHeld = false;
    clearTimeout(holding);
    console?.data.resume();
  }

  /** If nobody else waits, a slow viewer harms nobody. */
  function cutOffSlow(): void {
    const slow = [...viewers].filter((viewer) => viewer.unread > unread.few);
    if (slow.length < viewers.size) {
      for (const viewer of slow) {
        viewers.delete(viewer);
        viewer.end('slow');
      }
      relieve();
    }
    if (isHeld) holding = setTimeout(cutOffSlow, source.slowMs);
  }

  /** One size at a time: while a window is dragged, only the last one counts. */
  async function applySize(): Promise<void> {
    if (!console || isSizing) return;
    isSizing = true;
    for (let applied: ConsoleSize | undefined; size && size !== applied && !signal.aborted; ) {
      applied = size;
      await source.setSize(console, applied, signal);
    }
    isSizing = false;
  }

  function end(why: Ending): void {
    for (const viewer of viewers) viewer.end(why);
    leave();
  }

  function leave(): void {
    if (signal.aborted) return;
    leaving.abort();
    clearTimeout(holding);
    console?.close();
    viewers.clear();
    source.over();
  }

  /** Resolves when the connection to the engine has ended. */
  function follow({ data }: EngineConsole): Promise<void> {
    let aliveAt = performance.now();
    const seen = () => {
      aliveAt = performance.now();
    };
    // A machine that loses power does not close its connections.
    const beating = setInterval(() => {
      if (isHeld) seen();
      if (performance.now() - aliveAt > source.silentMs) data.terminate();
      else data.ping();
    }, source.pingMs);
    data.on('pong', seen);
    data.on('message', (bytes: Buffer, isBinary) => {
      seen();
      if (isBinary && !signal.aborted) show(bytes);
    });
    return new Promise((resolve) => {
      const end = () => {
        clearInterval(beating);
        resolve();
      };
      data.once('close', end);
      if (data.readyState === data.CLOSED) end();
    });
  }

  async function begin(): Promise<void> {
    recent.add(await source.readLog(keptBytes, signal));
    console = await source.connect(signal);
    if (signal.aborted) return console.close();
    const ended = follow(console);
    applySize().catch(() => end('failed'));
    for (const viewer of viewers) welcome(viewer);
    console.data.resume();
    await ended;
  }

  async function run(): Promise<void> {
    let failure: unknown;
    await begin().catch((error: unknown) => {
      failure = error;
    });
    if (signal.aborted) return;
    const why = await source.whyEnded(console);
    end(failure && why === 'ended' ? 'failed' : why);
  }

  run().catch(() => end('failed'));

  return {
    add(viewer) {
      viewers.add(viewer);
      if (console) welcome(viewer);
      else viewer.holdInput(true);
    },
    remove(viewer) {
      if (!viewers.delete(viewer)) return;
      if (viewers.size === 0) leave();
      else relieve();
    },
    type(bytes) {
      const { data } = console ?? {};
      if (data?.readyState !== data?.OPEN) return;
      data?.send(bytes, { binary: true }, () => {
        if (data.bufferedAmount <= mostUntyped / 2)
          for (const viewer of viewers) viewer.holdInput(false);
      });
      if ((data?.bufferedAmount ?? 0) > mostUntyped)
        for (const viewer of viewers) viewer.holdInput(true);
    },
    resize(wanted) {
      size = wanted;
      applySize().catch(() => end('failed'));
    },
    relieve,
    end,
  };
}
