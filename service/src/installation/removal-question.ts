import { askFor, type Input } from '../lib/ask.ts';
import type { Announcement } from './uninstall.ts';

export function announcedInWords({ goes, stays }: Announcement): string {
  const list = goes.map((what) => `  - ${what}\n`).join('');
  const notes = stays.map((sentence) => `${sentence}\n`).join('');
  return `This will be removed:\n${list}${notes && `\n${notes}`}\n`;
}

/** Throws `SetupError` unless "remove" is typed at a terminal. */
export async function askToRemove(input: Input, output: NodeJS.WritableStream): Promise<void> {
  const says = 'There is no way back.';
  await askFor({ says, word: 'remove', undone: 'Nothing was removed' }, input, output);
}
