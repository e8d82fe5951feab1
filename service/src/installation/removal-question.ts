import { createInterface } from 'node:readline';
import { SetupError } from '../../../setup/commands.mjs';
import type { Announcement } from './uninstall.ts';

export function announcedInWords({ goes, stays }: Announcement): string {
  const list = goes.map((what) => `  - ${what}\n`).join('');
  const notes = stays.map((sentence) => `${sentence}\n`).join('');
  return `This will be removed:\n${list}${notes && `\n${notes}`}\n`;
}

/** Any other answer than "remove", typed or piped, throws `SetupError`; so does the lack of one. */
export async function askToRemove(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<void> {
  output.write('There is no way back. Type "remove" to go on: ');
  const answer = await firstLine(input);
  if (answer === undefined) {
    throw new SetupError('Nothing was removed: there was no answer.', 'To do so unasked: --yes.');
  }
  if (answer.trim() === 'remove') return;
  throw new SetupError('Nothing was removed.', 'Only the answer "remove" does so.');
}

async function firstLine(input: NodeJS.ReadableStream): Promise<string | undefined> {
  const lines = createInterface({ input });
  try {
    for await (const line of lines) return line;
    return undefined;
  } finally {
    lines.close();
  }
}
