import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const killedWithinMs = 20_000;
const commandMs = 120_000;

/** Every process of the machine but this one. */
export function processIds(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid);
}

/** A process may end while it is looked at, and some may not be looked into. */
export function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return '';
    throw error;
  }
}

export const commandLine = (pid: number) =>
  readProcess(pid, 'cmdline').replaceAll('\0', ' ').trim();

export const environment = (pid: number) => readProcess(pid, 'environ').split('\0');

/** Kills what `find` finds until it finds nothing more. */
export async function killAll(find: () => number[]): Promise<void> {
  const end = Date.now() + killedWithinMs;
  for (let pids = find(); pids.length > 0; pids = find()) {
    if (Date.now() > end) throw new Error(`These processes do not end: ${pids.join(', ')}`);
    for (const pid of pids) kill(pid);
    await sleep(50);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Runs a command to its end. Answers what it printed; throws when it fails. */
export function run(command: string, args: string[], input = ''): string {
  return execFileSync(command, args, {
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: commandMs,
  });
}
