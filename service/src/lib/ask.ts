import { createInterface } from 'node:readline';
import { SetupError } from '../../../setup/commands.mjs';

/** A confirmation of something that can't be undone. */
export interface Question {
  /** What will happen, in whole sentences. */
  says: string;
  /** The only answer that confirms it. */
  word: string;
  /** The message if it is not confirmed, such as "Nothing was removed". */
  undone: string;
}

/** What may be a terminal. */
export type Input = NodeJS.ReadableStream & { isTTY?: boolean };

/**
 * Throws `SetupError` unless the word is typed. Where `input` is not a terminal, nobody may ever answer: it throws at
 * once, whatever is piped to it.
 */
export async function askFor(
  { says, word, undone }: Question,
  input: Input = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<void> {
  if (!input.isTTY) {
    output.write(`${says}\n`);
    throw new SetupError(
      `${undone}: this needs confirmation, and standard input is not a terminal.`,
      'To confirm without a question, add --yes.',
    );
  }
  output.write(`${says} Type "${word}" to continue: `);
  const answer = await firstLine(input);
  if (answer === undefined) {
    throw new SetupError(
      `${undone}: there was no answer.`,
      'To confirm without a question, add --yes.',
    );
  }
  if (answer.trim() === word) return;
  throw new SetupError(`${undone}.`, `To confirm, answer "${word}".`);
}

async function firstLine(input: Input): Promise<string | undefined> {
  const lines = createInterface({ input });
  try {
    for await (const line of lines) return line;
    return undefined;
  } finally {
    lines.close();
  }
}
