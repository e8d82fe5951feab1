import type { CommandResult } from '../db/schema/schema.ts';
import { stateFolder } from './handover.ts';
import { longestParts, type UserDataResult } from './user-data-report.ts';

/** The progress of a new guest with its handover. */
export interface GuestProgress {
  phase: 'booting' | 'running' | 'done' | 'failed';
  /** How many commands have ended. */
  finished: number;
  /** The results of the commands that have ended, in order. */
  results: CommandResult[];
  /** False if there is no SSH server, and none could be installed. */
  sshReady: boolean;
  /** It waits for the end of cloud-init, which carries out the user data. */
  awaitsUserData: boolean;
  /** What cloud-init said of the user data; null until it has ended, and without user data. */
  userData: UserDataResult | null;
}

/** The file in which a guest reports. */
export const progressFile = `${stateFolder}/progress`;
const keptBytes = 4096;

/** The maximum length of the progress, of as many commands as a create accepts (64), with what cloud-init said. */
export const longestProgressBytes = 512 * 1024;

/** The files that remain in the guest at the end, in the order in which to delete them. */
export const resultPaths: readonly string[] = [progressFile, stateFolder];

/** The content of the file is not a report of Berth's script. */
export class ProgressReplaced extends Error {
  override name = 'ProgressReplaced';
}

/**
 * Reads the progress file of a guest. `pull` returns null if it does not exist (yet). Throws
 * `ProgressReplaced` if something else wrote it.
 */
export async function readProgress(
  pull: (path: string) => Promise<Buffer | null>,
  total: number,
): Promise<GuestProgress> {
  const content = await pull(progressFile);
  if (!content) return notBegun;
  const header = readLine(content, 0);
  const [word = '', number, sshd] = header.text.split(' ');
  const body = content.subarray(header.end);
  const { results, end } = readResults(body, total);
  const phase = phaseOf(word);
  return {
    ...{ phase, results, finished: results.length, sshReady: sshd !== 'missing' },
    awaitsUserData: phase === 'running' && number === '0',
    userData: readUserData(body.subarray(end)),
  };
}

const notBegun: GuestProgress = {
  ...{ phase: 'booting', finished: 0, results: [], sshReady: true },
  ...{ awaitsUserData: false, userData: null },
};

function phaseOf(word: string): GuestProgress['phase'] {
  if (word === 'preparing') return 'booting';
  if (word === 'running' || word === 'done' || word === 'failed') return word;
  throw new ProgressReplaced('it is empty, or not what Berth writes there');
}

/** Reads at most `total` results, and where they end: the file comes from a guest, and may contain anything. */
function readResults(content: Buffer, total: number): { results: CommandResult[]; end: number } {
  const results: CommandResult[] = [];
  let at = 0;
  while (at < content.length && results.length < total) {
    const header = readLine(content, at);
    const [status, length, took] = header.text.split(' ', 3).map(Number);
    if (!isCount(status) || !isCount(length)) break;
    at = header.end + length;
    const output = safeText(content.subarray(header.end, at));
    results.push({ exit_status: status, output, duration_ms: isCount(took) ? took : null });
  }
  return { results, end: at };
}

/** Reads the parts that follow the results, each after a line with its name and its length. */
function readUserData(content: Buffer): UserDataResult | null {
  const parts = new Map<string, Buffer>();
  let at = 0;
  while (at < content.length) {
    const header = readLine(content, at);
    const [name = '', length] = header.text.split(' ');
    if (!isCount(Number(length))) break;
    at = header.end + Number(length);
    parts.set(name, content.subarray(header.end, at));
  }
  if (!parts.has('user-data-status')) return null;
  const text = (name: keyof typeof longestParts) =>
    parts.get(`user-data-${name}`)?.toString('utf8', 0, longestParts[name]) ?? '';
  return { status: text('status'), schema: text('schema'), log: text('log') };
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0;
}

function readLine(content: Buffer, from: number): { text: string; end: number } {
  const newline = content.indexOf('\n', from);
  const end = newline < 0 ? content.length : newline;
  return { text: content.toString('latin1', from, end), end: end + 1 };
}

/**
 * Text that PostgreSQL's jsonb accepts: valid Unicode without NUL, not starting within a character.
 */
function safeText(bytes: Buffer): string {
  const kept = bytes.subarray(-keptBytes);
  const whole = kept.length < keptBytes ? kept : kept.subarray(continuationBytes(kept));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole).replaceAll('\0', '\ufffd');
}

function continuationBytes(bytes: Buffer): number {
  let count = 0;
  while (count < 3 && ((bytes[count] ?? 0) & 0xc0) === 0x80) count++;
  return count;
}
