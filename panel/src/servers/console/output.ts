/** The most bytes that wait to be shown. A terminal keeps fewer of them in its scrollback. */
const mostWaiting = 2 * 1024 * 1024;
/** The most bytes that the terminal is working on. */
const mostInProgress = 256 * 1024;

/** Ends a control sequence whose rest was skipped (CAN), and says so in reverse colours. */
const skippedNote =
  '\u0018\r\n\u001b[0;7m Output was skipped, because there was too much of it. \u001b[0m\r\n';

type Write = (data: Uint8Array | string, done: () => void) => void;

/**
 * Passes output on as fast as a terminal shows it. A WebSocket in a browser cannot be paused, so what has waited longest is
 * skipped if there is too much.
 */
export function boundedOutput(write: Write) {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let inProgress = 0;
  let isSkipping = false;

  function pump(): void {
    while (inProgress < mostInProgress) {
      const next = isSkipping ? skippedNote : waiting.shift();
      if (next === undefined) return;
      if (typeof next === 'string') isSkipping = false;
      else waitingBytes -= next.length;
      inProgress += next.length;
      write(next, () => {
        inProgress -= next.length;
        pump();
      });
    }
  }

  return {
    add(bytes: Uint8Array): void {
      waiting.push(bytes);
      waitingBytes += bytes.length;
      while (waitingBytes > mostWaiting && waiting.length > 1) {
        waitingBytes -= waiting.shift()?.length ?? 0;
        isSkipping = true;
      }
      pump();
    },
    /** Forgets what waits. */
    clear(): void {
      [waiting, waitingBytes, isSkipping] = [[], 0, false];
    },
  };
}
