import { createInterface } from 'node:readline';
import { SetupError } from '../../../setup/commands.mjs';

/** A question before something that can't be undone. */
export interface Question {
  /** What will happen, in whole sentences. */
  says: string;
  /** The only answer that goes on. */
  word: string;
  /** What to print if it does not go on, such as "Nothing was removed". */
  undone: string;
}

/** Any other answer than the word, typed or piped, throws `SetupError`; so does the lack of one. */
export async function askFor(
  { says, word, undone }: Question,
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<void> {
  output.write(`${says} Type "${word}" to continue: `);
  const answer = await firstLine(input);
  if (answer === undefined) {
    throw new SetupError(
      `${undone}: there was no answer.`,
      'To confirm without a question, use --yes.',
    );
  }
  if (answer.trim() === word) return;
  throw new SetupError(`${undone}.`, `To confirm, answer "${word}".`);
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
