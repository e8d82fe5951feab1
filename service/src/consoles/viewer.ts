import type { WebSocket } from 'ws';
import type { ConsoleSize } from '../incus/consoles.ts';
import { type Ending, endings } from './endings.ts';

/** The connection of somebody who watches a console. */
export interface Viewer {
  /** Sends what the guest has printed. */
  show(bytes: Buffer): void;
  /** Bytes that it has not read yet. */
  readonly unread: number;
  /** Stops reading what is typed, or goes on. */
  holdInput(isHeld: boolean): void;
  /** The first end counts. */
  end(why: Ending): void;
  /** Resolves when its connection has ended, after `closed`. */
  readonly gone: Promise<void>;
}

export interface ViewerEvents {
  typed(bytes: Buffer): void;
  resized(size: ConsoleSize): void;
  /** It has read some of what was sent. */
  read(): void;
  /** The connection has ended, with this code. */
  closed(code: number): void;
}

export interface ViewerTimes {
  pingMs: number;
  /** How long it may show no sign that it is there. */
  silentMs: number;
  idleMs: number;
  /** For its answer to the end of the connection. */
  lingerMs: number;
}

const mostCells = 1000;

/** Follows a connection. It is closed if nothing is typed for a long time, or if it does not answer pings. */
export function createViewer(
  socket: WebSocket,
  events: ViewerEvents,
  { pingMs, silentMs, idleMs, lingerMs }: ViewerTimes,
): Viewer {
  let isOver = false;
  let isHeld = false;
  let typedAt = performance.now();
  let aliveAt = typedAt;

  function end(why: Ending): void {
    if (isOver) return;
    isOver = true;
    // Otherwise its answer would not be read.
    socket.resume();
    const [code, reason] = endings[why];
    socket.close(code, reason);
    const timer = setTimeout(() => socket.terminate(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  }

  function beat(): void {
    if (performance.now() - typedAt > idleMs) end('idle');
    // Its pongs are not read while its input is held.
    else if (performance.now() - aliveAt > silentMs && !isHeld) socket.terminate();
    else socket.ping();
  }

  const beating = setInterval(beat, pingMs);
  socket.on('pong', () => {
    aliveAt = performance.now();
  });
  socket.on('message', (data: Buffer, isBinary) => {
    if (isOver) return;
    typedAt = performance.now();
    aliveAt = typedAt;
    if (isBinary) return events.typed(data);
    const size = readSize(data);
    if (size) events.resized(size);
    else end('abuse');
  });
  // A violation of RFC 6455, after which the library closes it, or a broken connection.
  socket.on('error', () => undefined);
  const gone = new Promise<void>((resolve) => {
    socket.once('close', (code) => {
      isOver = true;
      clearInterval(beating);
      events.closed(code);
      resolve();
    });
  });

  return {
    show(bytes) {
      if (isOver) return;
      socket.send(bytes, { binary: true }, (error) => {
        if (error) return;
        aliveAt = performance.now();
        events.read();
      });
    },
    get unread() {
      return socket.bufferedAmount;
    },
    holdInput(held) {
      if (isOver || held === isHeld) return;
      isHeld = held;
      aliveAt = performance.now();
      if (held) socket.pause();
      else socket.resume();
    },
    end,
    gone,
  };
}

function readSize(data: Buffer): ConsoleSize | undefined {
  const { type, columns, rows } = readJson(data.toString());
  return type === 'resize' && isCells(columns) && isCells(rows) ? { columns, rows } : undefined;
}

function readJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function isCells(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= mostCells;
}
