import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const keptLines = 15;

/** The error of a program that failed. The message names the program, and ends with the last lines of its output. */
export class ProgramFailed extends Error {
  constructor(program: string, ending: string, lastLines: string[]) {
    super(`${program} ${ending}:\n${lastLines.join('\n')}`);
    this.name = 'ProgramFailed';
  }
}

export interface Program {
  program: string;
  args: string[];
  input?: string;
  env?: Record<string, string>;
  signal: AbortSignal;
  /** Called with each line of its output and error output. */
  onLine?: (line: string) => void;
}

/** Runs a program to its end. An abort ends it with its children, then throws the signal's reason. */
export async function runProgram(run: Program): Promise<void> {
  run.signal.throwIfAborted();
  const { program, args, env } = run;
  // The program gets a separate process group, so that an abort also ends its children.
  const child = spawn(program, args, { detached: true, env: { ...process.env, ...env } });
  const last: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      last.push(line);
      if (last.length > keptLines) last.shift();
      run.onLine?.(line);
    });
  }
  // It may end without having read its input.
  child.stdin.on('error', () => {}).end(run.input ?? '');
  const stop = () => endGroup(child.pid);
  run.signal.addEventListener('abort', stop, { once: true });
  try {
    const ending = await endOf(child);
    run.signal.throwIfAborted();
    if (ending !== null) throw new ProgramFailed(program, ending, last);
  } finally {
    run.signal.removeEventListener('abort', stop);
  }
}

/** The process may have ended just now. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGTERM');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** How a program ended, as a sentence; null if it succeeded. */
async function endOf(child: ReturnType<typeof spawn>): Promise<string | null> {
  return await new Promise((resolve) => {
    child.on('error', (error) => resolve(`could not be run (${error.message})`));
    child.on('close', (code, signal) => {
      if (code === 0) resolve(null);
      else resolve(signal ? `was ended by ${signal}` : `ended with status ${code}`);
    });
  });
}
