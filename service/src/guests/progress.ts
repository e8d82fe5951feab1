import type { CommandResult } from '../db/schema/schema.ts';
import { stateFolder } from './handover.ts';

/** How far a new guest is with what was handed over to it. */
export interface GuestProgress {
  phase: 'booting' | 'running' | 'done' | 'failed';
  /** How many commands have ended. */
  finished: number;
  /** Of the commands that have ended, in their order. */
  results: CommandResult[];
  /** False when no SSH server is there and none could be installed. */
  sshReady: boolean;
}

/** Where a guest reports. */
export const progressFile = `${stateFolder}/progress`;
const keptBytes = 4096;

/** No longer than this is the progress of the most commands (64) that a create takes. */
export const longestProgressBytes = 512 * 1024;

/** What is left in the guest once it is done: delete these, in this order. */
export const resultPaths: readonly string[] = [progressFile, stateFolder];

/** What is in the file is none of what a guest of ours reports. */
export class ProgressReplaced extends Error {
  override name = 'ProgressReplaced';
}

/**
 * Reads the guest's one progress file. `pull` answers null when there is no such file (yet). Throws
 * `ProgressReplaced` where somebody else wrote it.
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

/** Reads at most `total` results: the file comes from a guest, and may hold anything. */
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

/** Text that PostgreSQL's jsonb takes: valid Unicode without NUL, not begun amid a character. */
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
