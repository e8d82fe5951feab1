import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = 10;
/** A guest that was cut off closes no connection. */
const attemptMs = 5000;
const longestMs = 60_000;

/** Resolves when an SSH server at the address has sent its banner, which comes before any key or password. */
export async function answersBySsh(address: string): Promise<void> {
  const end = performance.now() + longestMs;
  for (;;) {
    const said = await firstBytes(address).catch((error: Error) => error.message);
    if (said.startsWith('SSH-')) return;
    if (performance.now() > end) throw new Error(`${address} does not answer by SSH: ${said}`);
    await sleep(pauseMs);
  }
}

async function firstBytes(address: string): Promise<string> {
  const socket = connect(22, address);
  try {
    const [bytes] = await once(socket, 'data', { signal: AbortSignal.timeout(attemptMs) });
    return String(bytes);
  } finally {
    socket.destroy();
  }
}
