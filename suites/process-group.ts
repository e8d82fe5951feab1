import { processIds, readProcess } from '../service/src/testing/processes.ts';

/** Whether a process of the group runs. One that has ended, and for whose end nobody has asked, does not. */
export function isGroupRunning(group: number): boolean {
  return processIds().some((pid) => {
    // The fields of proc_pid_stat(5) after the name, which may contain anything: state, parent and group.
    const [state, , of] = readProcess(pid, 'stat')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(of) === group && state !== 'Z';
  });
}
