import type { CommandResult } from '../db/schema/schema.ts';
import { stateFolder } from './handover.ts';

/** The progress of a new guest with its handover. */
export interface GuestProgress {
  phase: 'booting' | 'running' | 'done' | 'failed';
  /** How many commands have ended. */
  finished: number;
  /** The results of the commands that have ended, in order. */
  results: CommandResult[];
  /** False if there is no SSH server, and none could be installed. */
  sshReady: boolean;
}

/** The file in which a guest reports. */
export const progressFile = `${stateFolder}/progress`;
const keptBytes = 4096;

/** The maximum length of the progress, of as many commands as a create accepts (64). */
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
  if (!content) return { phase: 'booting', finished: 0, results: [], sshReady: true };
  const header = readLine(content, 0);
  const [word = '', , sshd] = header.text.split(' ');
  const results = readResults(content.subarray(header.end), total);
  return { phase: phaseOf(word), finished: results.length, results, sshReady: sshd !== 'missing' };
}

function phaseOf(word: string): GuestProgress['phase'] {
  if (word === 'preparing') return 'booting';
  if (word === 'running' || word === 'done' || word === 'failed') return word;
  throw new ProgressReplaced('it is empty, or not what Berth writes there');
}

/** Reads at most `total` results: the file comes from a guest, and may contain anything. */
function readResults(content: Buffer, total: number): CommandResult[] {
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
  return results;
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
