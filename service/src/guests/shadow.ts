// The file in which a guest has the hashes of its passwords (shadow(5)).

export const shadowPath = '/etc/shadow';
/** The copy of the previous state, which the tools of the guest keep too. */
export const shadowBackupPath = '/etc/shadow-';
export const longestShadowBytes = 2 ** 19;

const msPerDay = 24 * 3_600_000;
/** Each byte is a character, so that those of other encodings stay as they are. */
const bytes = 'latin1';

const rootIndex = (lines: string[]) => lines.findIndex((line) => line.startsWith('root:'));

/** Whether the file has a line of root. */
export const hasRoot = (content: Buffer) => rootIndex(content.toString(bytes).split('\n')) >= 0;

const withoutHash = (content: Buffer) =>
  content.toString(bytes).replace(/(^|\n)root:[^\n]*/, '$1root:');

/** Whether a file is a part of another one from its beginning, except for what the line of root says. */
export function isBeginning(part: Buffer, whole: Buffer): boolean {
  const [shorter, longer] = [withoutHash(part), withoutHash(whole)];
  return shorter.length < longer.length && longer.startsWith(shorter);
}

/** Whether it is a part that ends within a line, as no tool leaves a file. */
export const isCutOff = (part: Buffer, whole: Buffer) =>
  !part.toString(bytes).endsWith('\n') && isBeginning(part, whole);

/**
 * The content of the file with another hash of the password of root, changed at that time. The rest stays as it is.
 * Undefined if it has no line of root.
 */
export function withRootPassword(content: Buffer, hash: string, at: Date): Buffer | undefined {
  const lines = content.toString(bytes).split('\n');
  const index = rootIndex(lines);
  const line = lines[index];
  if (line === undefined) return undefined;
  const [name = '', before, changed = '', ...rest] = line.split(':');
  if (before === hash) return content;
  // Set as chpasswd does. Without it, the password of an account may never expire, which is kept.
  const day = changed === '' ? '' : String(Math.floor(at.getTime() / msPerDay));
  lines[index] = [name, hash, day, ...rest].join(':');
  return Buffer.from(lines.join('\n'), bytes);
}
