import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { idRanges, isWideRange, modulesFile, settingsFile } from '../../../setup/kernel.mjs';
import { backportsFile } from '../../../setup/system-packages.mjs';
import {
  readRecord,
  recordFile,
  recordText,
  sha256,
  type Written,
  type WrittenLine,
} from '../../../setup/written.mjs';
import { type Host, on } from './host.ts';

/** The change of a file of the machine. */
interface Change {
  path: string;
  /** Returns the new content, or undefined to remove the file. Others may write to the file until then. */
  become: (content: string) => string | undefined;
  /** What is removed, as an item of a list. */
  what: string;
}

export interface MachinePlan {
  changes: Change[];
  /** Sentences about what is kept, and why. */
  stays: string[];
}

/** The Incus of the installation, so that its processes do not count as those of others. */
export interface OwnIncus {
  directory: string;
  pid: number;
}

/**
 * Finds what the preparation of the machine has written for the installation of a data directory, by its record. Values
 * that were set in the kernel remain until the next boot.
 */
export function planMachine(host: Host, dataDir: string, incus: OwnIncus | undefined): MachinePlan {
  const plan: MachinePlan = { changes: [], stays: [] };
  const record = readRecord(host.root);
  const gone = new Set<Written>();
  for (const path of [settingsFile, modulesFile, backportsFile]) {
    const entry = record.find((one) => one.path === path);
    const content = contentOf(host, path);
    if (content === undefined) {
      if (entry?.dataDir === dataDir) gone.add(entry);
    } else if (entry?.dataDir !== dataDir) plan.stays.push(stays(path, entry));
    else if ('sha256' in entry && entry.sha256 !== sha256(content)) {
      plan.stays.push(`${path} stays: it was changed after Berth wrote it.`);
    } else {
      gone.add(entry);
      plan.changes.push({ path, become: () => undefined, what: path });
    }
  }
  const others = otherRuntimes(host, incus);
  for (const path of idRanges) {
    const entry = record.find((one) => one.path === path);
    const lines = (contentOf(host, path) ?? '').split('\n');
    if (entry?.dataDir !== dataDir || !('added' in entry)) {
      if (lines.some(isWideRange)) plan.stays.push(stays(`Root's range of ids in ${path}`, entry));
    } else if (others.length > 0) {
      plan.stays.push(
        `Root's range of ids in ${path} stays: others run here that may use it (${others.join(', ')}).`,
      );
    } else {
      gone.add(entry);
      if (lines.includes(entry.added)) plan.changes.push(withoutLine(entry));
    }
  }
  const left = record.filter((one) => !gone.has(one));
  if (gone.size > 0) {
    const become = () => (left.length === 0 ? undefined : recordText(left));
    const what = `the record of what was written, in ${recordFile}`;
    plan.changes.push({ path: recordFile, become, what });
  }
  return plan;
}

function withoutLine({ path, added, replaced }: WrittenLine): Change {
  const become = (content: string) =>
    content
      .split('\n')
      .flatMap((line) => (line === added ? replaced : [line]))
      .join('\n');
  return { path, become, what: `root's range of ids in ${path}, the line ${added}` };
}

function stays(what: string, own: Written | undefined): string {
  return own
    ? `${what} stays: it was written for the Berth in ${own.dataDir}.`
    : `${what} stays: there is no record that this installation has written it. Remove it by hand if nothing else needs it.`;
}

function contentOf(host: Host, path: string): string | undefined {
  return existsSync(on(host, path)) ? readFileSync(on(host, path), 'utf8') : undefined;
}

const runtimes = ['incusd', 'lxd', 'lxc-start', 'lxc-autostart'];

/** The processes of other Incus daemons, LXD and LXC: "incusd, process 12". Helpers of a daemon are not listed. */
export function otherRuntimes(host: Host, incus: OwnIncus | undefined): string[] {
  const proc = on(host, '/proc');
  const pids = existsSync(proc) ? readdirSync(proc).filter((name) => /^\d+$/.test(name)) : [];
  return pids.flatMap((pid) => {
    const [program = '', argument = ''] = commandOf(`${proc}/${pid}/cmdline`);
    const guest = /^\[lxc monitor\] (\S+)/.exec(program)?.[1];
    if (guest !== undefined) {
      return incus && guest.startsWith(`${incus.directory}/`) ? [] : [`lxc, process ${pid}`];
    }
    const name = basename(program);
    if (!runtimes.includes(name) || argument.startsWith('fork')) return [];
    return Number(pid) === incus?.pid ? [] : [`${name}, process ${pid}`];
  });
}

/** The command line of a process; empty if the process has ended. */
function commandOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\0');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

export function changeMachine(host: Host, { changes }: MachinePlan): void {
  for (const { path, become, what } of changes) {
    const content = become(contentOf(host, path) ?? '');
    if (content !== undefined) writeFileSync(on(host, path), content);
    else rmSync(on(host, path), { force: true });
    if (path === recordFile && content === undefined) rmdirSync(on(host, dirname(path)));
    host.say(`Removed ${what}`);
  }
}

/** Changes the data directory in the record when an installation moves to another one. */
export function moveRecord(host: Host, from: string, to: string): void {
  const record = readRecord(host.root);
  if (!record.some(({ dataDir }) => dataDir === from)) return;
  const moved = record.map((one) => (one.dataDir === from ? { ...one, dataDir: to } : one));
  writeFileSync(on(host, recordFile), recordText(moved));
}
