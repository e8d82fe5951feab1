import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/**
 * Runs a measurement while a program of this directory creates load, and returns also what that program prints at its
 * end.
 */
export async function beside<T>(
  program: string,
  args: string[],
  settleMs: number,
  measure: () => Promise<T>,
): Promise<{ measured: T; said: string }> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, [file, ...args], { stdio: [...stdio] });
  let said = '';
  child.stdout?.on('data', (text) => {
    said += text;
  });
  try {
    await sleep(settleMs);
    const measured = await measure();
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
    return { measured, said };
  } finally {
    child.kill('SIGKILL');
  }
}
