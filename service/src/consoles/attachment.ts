import type { ConsoleSize, EngineConsole } from '../incus/consoles.ts';
import { pause } from '../lib/pause.ts';
import type { Ending } from './endings.ts';
import type { Kept } from './recent.ts';
import type { Viewer } from './viewer.ts';

/** The console of a run of the guest, from a start to the next stop. */
export interface ConsoleOfRun extends EngineConsole {
  /** What no other run has. */
  run: string | undefined;
  /** Whether the run is known to be over. Incus then leaves the connection open. */
  isOver(signal: AbortSignal): Promise<boolean>;
}

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
  kept: Kept;
  /** What the guest has printed since this was last read. */
  readLog(most: number, signal: AbortSignal): Promise<Buffer>;
  connect(signal: AbortSignal): Promise<ConsoleOfRun>;
  /** Gives the guest's terminal a size. */
  setSize(console: EngineConsole, size: ConsoleSize, signal: AbortSignal): Promise<void>;
  /** Why a connection has ended, or why there is none. */
  whyEnded(console: EngineConsole | undefined): Promise<Ending>;
  /** Nothing more is done with it: it has ended, or its last viewer has left. */
  over(): void;
  pingMs: number;
  /** How often a guest that prints nothing is looked at. */
  lookMs: number;
  /** How long the engine may show no sign that it is there. */
  silentMs: number;
  /** How long a viewer may keep the guest waiting. */
  slowMs: number;
}

export const keptBytes = 64 * 1024;
/** The guest is held up once a viewer has not read so much, until it has read all but the other part. */
const unread = { most: 256 * 1024, few: 64 * 1024 };
/** A guest that prints nothing for so long has stopped to print. */
const quietMs = 250;
/** Incus connects a guest within so long after it has opened the console. */
const connectingMs = 500;
/** How long what is typed waits for the log at most. */
const missedMs = 2000;
/** What nobody watches is read so slowly. */
const restMs = 50;
/** The same of what is typed. */
const mostUntyped = 256 * 1024;

/**
 * Connects to a console. Its output goes to all viewers at the speed of the slowest, so that little of it is in memory: the
 * guest waits as it would for a slow terminal. One that keeps it waiting for long is cut off, because LXC answers nothing
 * about a container meanwhile. If its client leaves while it waits, it does so until it is killed, so the console is read
 * until the guest has stopped to print.
 */
export function attach(source: AttachmentSource): Attachment {
  const viewers = new Set<Viewer>();
  const { kept } = source;
  const { recent } = kept;
  const leaving = new AbortController();
  const { signal } = leaving;
  let console: ConsoleOfRun | undefined;
  let size: ConsoleSize | undefined;
  let isSizing = false;
  let isSettled = false;
  let isHeld = false;
  let printedAt = performance.now();
  let holding: NodeJS.Timeout | undefined;
  let quieting: NodeJS.Timeout | undefined;

  function welcome(viewer: Viewer): void {
    const bytes = recent.read();
    if (bytes.length > 0) viewer.show(bytes);
    viewer.holdInput(!isSettled);
  }

  function show(bytes: Buffer): void {
    printedAt = performance.now();
    recent.add(bytes);
    if (viewers.size === 0) rest();
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

  function rest(): void {
    console?.data.pause();
    setTimeout(() => {
      if (!isHeld) console?.data.resume();
    }, restMs);
  }

  function cutOffSlow(): void {
    for (const viewer of viewers) {
      if (viewer.unread <= unread.few) continue;
      viewers.delete(viewer);
      viewer.end('slow');
    }
    relieve();
    if (viewers.size === 0) leaveWhenQuiet();
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
  function follow({ data }: ConsoleOfRun): Promise<void> {
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

  /** Resolves when the run of the guest is over, and all that it has printed was shown. */
  async function endOfRun({ isOver }: ConsoleOfRun): Promise<void> {
    while (!signal.aborted) {
      const began = performance.now();
      await pause(source.lookMs, signal);
      if (isHeld || printedAt > began || !(await isOver(signal))) continue;
      if (printedAt <= began) return;
    }
  }

  /** Incus discards what is typed before it has connected the guest. What that prints meanwhile is only in the log. */
  async function settle(): Promise<void> {
    const began = performance.now();
    await pause(connectingMs, signal);
    if (printedAt < began) {
      // The console is of use without it.
      const limited = AbortSignal.any([signal, AbortSignal.timeout(missedMs)]);
      const missed = await source.readLog(keptBytes, limited).catch(() => Buffer.alloc(0));
      // What was printed since is in both.
      if (printedAt < began && missed.length > 0 && !signal.aborted) show(missed);
    }
    isSettled = true;
    for (const viewer of viewers) viewer.holdInput(false);
  }

  /** Leaves once the guest has stopped to print, unless somebody watches again. */
  function leaveWhenQuiet(): void {
    if (viewers.size > 0 || signal.aborted) return;
    const left = printedAt + quietMs - performance.now();
    clearTimeout(quieting);
    if (console && left <= 0) leave();
    else quieting = setTimeout(leaveWhenQuiet, Math.max(restMs, left));
  }

  async function begin(): Promise<void> {
    const log = await source.readLog(keptBytes, signal);
    const connected = await source.connect(signal);
    console = connected;
    if (signal.aborted) return console.close();
    if (kept.run !== console.run) recent.clear();
    kept.run = console.run;
    recent.add(log);
    const ended = follow(console);
    applySize().catch(() => end('failed'));
    for (const viewer of viewers) welcome(viewer);
    console.data.resume();
    await Promise.race([ended, settle().then(() => endOfRun(connected))]);
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
      relieve();
      if (viewers.size === 0) leaveWhenQuiet();
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
