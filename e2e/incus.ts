import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const commandSeconds = 120;

/** Where an Incus is, and which of its projects is meant. */
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
    stdio: ['pipe', 'ignore', 'inherit'],
    timeout: commandSeconds * 1000,
  });
  // It reads until the end of its input, also when there is nothing to say.
  child.stdin.end(input ? JSON.stringify(input) : '');
  const [code, signal] = await once(child, 'exit');
  if (code !== 0) throw new Error(`incus ${args[0]} ended with ${code ?? signal}.`);
}
