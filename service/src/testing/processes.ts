import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const killedWithinMs = 60_000;
/** The time for PostgreSQL to shut down in order, so that it leaves no shared memory. */
const graceMs = 5000;

/** The ids of all processes of the machine except this one. */
export function processIds(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid);
}

/** Undefined if the process has ended meanwhile, or can't be read. */
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

/** Processes whose command line or environment contains a text, such as a directory that was made for them. */
export function processesNaming(text: string): number[] {
  if (text === '') throw new TypeError('An empty text would match every process.');
  return processIds().filter(
    (pid) => commandLine(pid).includes(text) || readProcess(pid, 'environ').includes(text),
  );
}

/** Kills what `find` finds until it finds nothing more. */
export async function killAll(find: () => number[]): Promise<void> {
  const began = performance.now();
  for (let pids = find(); pids.length > 0; pids = find()) {
    const passed = performance.now() - began;
    if (passed > killedWithinMs) throw new Error(`These processes do not end: ${pids.join(', ')}`);
    for (const pid of pids)
      sendSignal(pid, passed < graceMs && isPostgres(pid) ? 'SIGQUIT' : 'SIGKILL');
    await sleep(50);
  }
}

const isPostgres = (pid: number) => readProcess(pid, 'comm').trim() === 'postgres';

/** Ignores that a process has just ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
