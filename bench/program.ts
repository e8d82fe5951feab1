import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program that runs until it is disposed, with the first line that it prints. */
export async function programOf(file: string, args: string[]) {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const failed = ended.then(([code]) => {
    throw new Error(`${file} ended with ${code}.`);
  });
  const [said] = await Promise.race([once(child.stdout, 'data'), failed]);
  failed.catch(() => undefined);
  return {
    said: String(said).trim(),
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
