import type { ConsoleSize } from '@berth/client';
import type { Io, Output } from '../../io.ts';

/** Ctrl-], as in telnet(1) and virsh(1). */
const leaveKey = 0x1d;

/** What programs of the guest may have switched on: another screen, the mouse, marks around pastes, keys, colours. */
const resetModes =
  '\u001b[?1047l\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l\u001b[?2004l\u001b[?1l\u001b>\u001b(B\u001b[m\u001b[?25h';

export const clearScreen = `${resetModes}\u001b[2J\u001b[H`;

export const sizeOf = ({ columns, rows }: Output): ConsoleSize => ({
  columns: columns ?? 80,
  rows: rows ?? 24,
});

interface Keys {
  onInput(bytes: Uint8Array<ArrayBuffer>): void;
  onLeave(): void;
}

/** A terminal that passes on each key as it is pressed, also Ctrl-C, from `enter` to `leave`. */
export function rawTerminal({ stdin, stdout }: Io, { onInput, onLeave }: Keys) {
  let isRaw = false;
  const read = (chunk: string | Buffer) => {
    const bytes = Uint8Array.from(Buffer.from(chunk as string));
    const at = bytes.indexOf(leaveKey);
    if (at < 0) return onInput(bytes);
    onInput(bytes.subarray(0, at));
    onLeave();
  };
  return {
    enter() {
      if (isRaw) return;
      isRaw = true;
      stdin.setRawMode?.(true);
      stdin.on('data', read);
      stdin.resume();
    },
    leave() {
      if (!isRaw) return;
      isRaw = false;
      stdin.off('data', read);
      stdin.pause();
      stdin.setRawMode?.(false);
      stdout.write(`${resetModes}\r\n`);
    },
  };
}
