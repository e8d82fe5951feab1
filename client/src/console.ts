import type { Berth } from './berth.ts';
import { BerthError } from './errors.ts';
import { isPassing } from './problems.ts';
import { pause } from './signals.ts';
import { withoutQuestions } from './terminal-questions.ts';

/** `reconnecting` is what follows by itself when the connection is lost. */
export type ConsoleState = 'connecting' | 'connected' | 'reconnecting';

export interface ConsoleSize {
  columns: number;
  rows: number;
}

export interface ConsoleOptions {
  /** Of the terminal, as it is at first. */
  size: ConsoleSize;
  /**
   * Receives what the guest writes: at first its last output, once more after each connection. What was asked of the
   * terminal in it is left out, which would answer as if somebody typed.
   */
  onOutput(bytes: Uint8Array): void;
  onState?: ((state: ConsoleState) => void) | undefined;
  /** Closes the console when it is aborted. */
  signal?: AbortSignal | undefined;
}

/** Why a console has ended, which does not become better by itself. */
export interface ConsoleEnd {
  /** The close code of the WebSocket, such as 1000: the console of the guest has ended. */
  code: number;
  reason: string;
}

export interface OpenConsole {
  /** Sends what was typed. It is lost if the console is not connected. */
  write(text: string | Uint8Array<ArrayBuffer>): void;
  resize(size: ConsoleSize): void;
  close(): void;
  /** Why it has ended; undefined if it was closed here. Rejects with a `BerthError` if the service refuses it. */
  ended: Promise<ConsoleEnd | undefined>;
}

const protocol = 'berth.console.v1';
/** How a connection ends that was lost, or whose service or proxy restarts. */
const passing = [1001, 1006, 1012];
const firstPauseMs = 500;
const longestPauseMs = 15_000;
/** Before the first success. A proxy that does not pass on WebSockets will not do so later. */
const mostFailures = 4;
/** The most bytes of a message. */
const messageBytes = 16 * 1024;

/**
 * Opens the console of a server. If the connection is lost, it connects again. It needs the `WebSocket` of browsers and of
 * Node.js 22 or newer.
 */
export function openConsole(
  berth: Berth,
  server: number | string,
  { size, onOutput, onState, signal }: ConsoleOptions,
): OpenConsole {
  const closing = new AbortController();
  const either = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
  let current = size;
  let socket: WebSocket | undefined;

  const send = (message: string | Uint8Array<ArrayBuffer>) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(message);
  };
  const sendSize = () => send(JSON.stringify({ type: 'resize', ...current }));

  /** Returns why the connection was closed, and whether it was open. */
  function connect(url: string): Promise<ConsoleEnd & { wasOpen: boolean }> {
    const opened = new WebSocket(url, protocol);
    socket = opened;
    opened.binaryType = 'arraybuffer';
    let wasOpen = false;
    const close = () => opened.close();
    either.addEventListener('abort', close, { once: true });
    opened.onopen = () => {
      wasOpen = true;
      sendSize();
      onState?.('connected');
    };
    let isFirst = true;
    opened.onmessage = ({ data }) => {
      if (!(data instanceof ArrayBuffer) || either.aborted) return;
      const bytes = new Uint8Array(data);
      onOutput(isFirst ? withoutQuestions(bytes) : bytes);
      isFirst = false;
    };
    return new Promise((resolve) => {
      opened.onclose = ({ code, reason }) => {
        either.removeEventListener('abort', close);
        resolve({ code, reason, wasOpen });
      };
    });
  }

  async function ticket(wasOpen: boolean): Promise<string | undefined> {
    try {
      const params = { path: { id: server } };
      const { data } = await berth.POST('/v1/servers/{id}/console', { params, signal: either });
      return data.url;
    } catch (error) {
      if (wasOpen && error instanceof BerthError && isPassing(error)) return undefined;
      throw error;
    }
  }

  async function keepOpen(): Promise<ConsoleEnd> {
    let wasEverOpen = false;
    onState?.('connecting');
    for (let failures = 0; ; failures += 1) {
      const url = await ticket(wasEverOpen);
      either.throwIfAborted();
      if (url !== undefined) {
        const { wasOpen, ...end } = await connect(url);
        either.throwIfAborted();
        if (!passing.includes(end.code)) return end;
        if (wasOpen) failures = 0;
        wasEverOpen ||= wasOpen;
        if (!wasEverOpen && failures >= mostFailures) return unreachable;
      }
      onState?.('reconnecting');
      const ms = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
      await pause(ms * (0.5 + Math.random() / 2), either);
    }
  }

  const ended = keepOpen().catch((error: unknown) => {
    if (either.aborted) return undefined;
    throw error;
  });
  return {
    write(text) {
      const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
      for (let at = 0; at < bytes.length; at += messageBytes) {
        send(bytes.subarray(at, at + messageBytes));
      }
    },
    resize(to) {
      current = to;
      sendSize();
    },
    close: () => closing.abort(),
    ended,
  };
}

const unreachable: ConsoleEnd = {
  code: 1006,
  reason: 'No connection could be opened. A proxy in between may not pass on WebSockets.',
};
