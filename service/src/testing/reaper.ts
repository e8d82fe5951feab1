import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/**
 * Runs a script that cleans up after this process has ended in any way. Only this process holds the other end of the
 * script's standard input. The script begins with `await ownerIsGone()`. Returns a function that has it clean up at once,
 * for a process that goes on, and waits for its end.
 */
export function startReaper(script: URL, ...args: string[]): () => Promise<void> {
  const reaper = spawn(process.execPath, [fileURLToPath(script), ...args], {
    // It runs in a separate session, so that a signal to the terminal or the process group does not end it.
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
    // Its arguments must not contain a directory that another reaper removes.
    env: { PATH: process.env.PATH },
  });
  const ended = once(reaper, 'exit');
  reaper.unref();
  const stdin = reaper.stdin as Socket;
  stdin.unref();
  return async () => {
    reaper.ref();
    stdin.end();
    await ended;
  };
}

/** For the script of a reaper: resolves when the process that started it has ended. */
export async function ownerIsGone(): Promise<void> {
  const { stdin } = process;
  await new Promise((resolve) => {
    stdin.once('end', resolve).once('error', resolve).resume();
  });
}
