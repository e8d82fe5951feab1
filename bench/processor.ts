import { join } from 'node:path';
import { commandLine, processIds, readProcess } from '../service/src/testing/processes.ts';

const ticksPerSecond = 100;

/** The CPU time of a process and of its children that have ended: fields 4 and 14 to 17 of proc_pid_stat(5). */
function statOf(pid: number): { parent: number; ticks: number } {
  const fields = readProcess(pid, 'stat').split(') ').at(-1)?.split(' ').map(Number) ?? [];
  const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0);
  return { parent: fields[1] ?? 0, ticks };
}

export const processSeconds = (pid: number) => statOf(pid).ticks / ticksPerSecond;

/** The CPU time of our PostgreSQL's processes, including those that have ended. */
export function postgresSeconds(directory: string): number {
  const processes = processIds().map((pid) => {
    return { pid, ...statOf(pid) };
  });
  const first = processes.filter(({ pid }) =>
    commandLine(pid).includes(join(directory, 'postgres')),
  );
  const pids = new Set(first.map(({ pid }) => pid));
  const family = processes.filter(({ pid, parent }) => pids.has(pid) || pids.has(parent));
  return family.reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond;
}

/** The memory of a process in megabytes (2^20 bytes): `VmRSS` now, `VmHWM` at its peak. See proc_pid_status(5). */
export function residentMegabytes(pid: number, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const line = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readProcess(pid, 'status'));
  return Number(line?.[1]) / 1024;
}

const watchEveryMs = 20;

/** The memory of a process in megabytes. */
interface MemoryFigures {
  before: number;
  peak: number;
  after: number;
}

export const inWords = ({ before, peak, after }: MemoryFigures): string =>
  `${before.toFixed()} MB before, ${peak.toFixed()} at most, ${after.toFixed()} after`;

/** Watches the memory of a process from now on. `stop` returns the figures. */
export function watchMemory(pid: number): { stop: () => MemoryFigures } {
  const before = residentMegabytes(pid);
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMegabytes(pid));
  }, watchEveryMs);
  return {
    stop() {
      clearInterval(timer);
      const after = residentMegabytes(pid);
      return { before, peak: Math.max(peak, after), after };
    },
  };
}
