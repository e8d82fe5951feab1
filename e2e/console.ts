import { consoleProtocol } from '@berth/contract/consoles';
import { eventually, until } from '../service/src/testing/until.ts';

/** Somebody who uses the console of a server. */
export interface Terminal extends AsyncDisposable {
  type(text: string): void;
  resize(columns: number, rows: number): void;
  /** Waits until what was shown since the last call matches. */
  shows(pattern: RegExp, seconds?: number): Promise<string>;
  /** Logs in as root. */
  logIn(password: string): Promise<void>;
  /** Types so many keys, and returns how many milliseconds each took to be shown. */
  echoes(keys: number): Promise<number[]>;
  /** Has the guest print so many bytes, and returns how many came until its prompt. */
  flood(bytes: number): Promise<number>;
  closed: Promise<{ code: number; reason: string }>;
}

const waitSeconds = 120;
const prompt = /[#$] $/;

export async function openTerminal(url: string): Promise<Terminal> {
  const socket = new WebSocket(url, consoleProtocol);
  socket.binaryType = 'arraybuffer';
  let shown = '';
  let take = (data: Buffer) => {
    shown += data.toString();
  };
  socket.addEventListener('message', ({ data }) => take(Buffer.from(data as ArrayBuffer)));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }));
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error(`${url} was refused.`)));
  });

  const type = (text: string) => socket.send(Buffer.from(text));

  async function shows(pattern: RegExp, seconds = waitSeconds): Promise<string> {
    const isSo = (seen: string) => pattern.test(seen);
    const seen = await until(`the console shows ${pattern}`, () => shown, isSo, seconds);
    shown = '';
    return seen;
  }

  /** What comes next, without the delay of a look at intervals. */
  async function next(): Promise<void> {
    const before = take;
    await new Promise<void>((resolve) => {
      take = () => resolve();
    });
    take = before;
  }

  return {
    type,
    resize: (columns, rows) => socket.send(JSON.stringify({ type: 'resize', columns, rows })),
    shows,
    async logIn(password) {
      // The prompt may have been shown long ago, and what is typed before Incus has connected the guest is lost.
      await eventually(async () => {
        type('\r');
        await shows(/login: $/, 3);
      });
      type('root\r');
      await shows(/Password: $/);
      type(`${password}\r`);
      await shows(prompt);
    },
    async echoes(keys) {
      const times: number[] = [];
      for (let key = 0; key < keys; key += 1) {
        const began = performance.now();
        type('k');
        await next();
        times.push(performance.now() - began);
        // A shell shows more than the key once its line is full.
        if (key % 40 === 39) {
          type('\r');
          await shows(prompt);
        }
      }
      type('\r');
      await shows(prompt);
      return times;
    },
    async flood(bytes) {
      const before = take;
      let count = 0;
      let end = '';
      take = (data) => {
        count += data.length;
        end = (end + data.subarray(-64).toString()).slice(-64);
      };
      type(`yes | head -c ${bytes}\r`);
      await until(
        'all of it was shown',
        () => count >= bytes && prompt.test(end),
        Boolean,
        waitSeconds,
      );
      take = before;
      return count;
    },
    async [Symbol.asyncDispose]() {
      socket.close();
      await closed;
    },
    closed,
  };
}
