import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const commandSeconds = 120;

/** The socket of an Incus, and one of its projects. */
export interface IncusPlace {
  socketPath: string;
  names: { project: string };
}

/** The `incus` command line, on a project. `input` becomes its standard input, as YAML. */
export async function incus(
  { names, socketPath }: IncusPlace,
  args: string[],
  input?: object,
): Promise<void> {
  const child = spawn('incus', ['--project', names.project, ...args], {
    env: { ...process.env, INCUS_DIR: join(socketPath, '..') },
    stdio: ['pipe', 'ignore', 'pipe'],
    timeout: commandSeconds * 1000,
  });
  // A program that ends at once does not read its input; its exit status says why.
  child.stdin.on('error', () => undefined);
  // It reads until the end of its input, even if that is empty.
  child.stdin.end(input ? JSON.stringify(input) : '');
  const [errors, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (code === 0) return;
  throw new Error(`incus ${args.join(' ')} ended with ${code ?? signal}: ${errors.trim()}`);
}
