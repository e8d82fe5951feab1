import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/**
 * Runs a script that removes what this process leaves, once it has ended, however it ended: only this process holds the
 * other end of the script's standard input. The script begins with `await ownerIsGone()`.
 */
export function startReaper(script: URL, ...args: string[]): void {
  const reaper = spawn(process.execPath, [fileURLToPath(script), ...args], {
    // It has a session of its own, so that a signal to the terminal or the process group does not
    // end it.
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
    // Nothing that names what another reaper removes.
    env: { PATH: process.env.PATH },
  });
  reaper.unref();
  (reaper.stdin as Socket).unref();
}

/** For the script of a reaper: resolves when the process that started it has ended. */
export async function ownerIsGone(): Promise<void> {
  const { stdin } = process;
  await new Promise((resolve) => {
    stdin.once('end', resolve).once('error', resolve).resume();
  });
}
