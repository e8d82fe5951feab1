import { readFile } from 'node:fs/promises';
import type { Cli } from '../cli.ts';
import { Failure, usageFailure } from '../errors/failure.ts';
import { readStdin } from '../prompts/stdin.ts';

const gzipMagic = Buffer.from([0x1f, 0x8b]);

/** The user data of a file, or of standard input for `-`. What is packed with gzip is sent as base64, as the API wants it. */
export async function readUserData({ io }: Cli, file: string): Promise<string> {
  const content = file === '-' ? await readStdin(io) : await contentOf(file);
  if (content.length === 0) throw usageFailure('The user data is empty.');
  if (content.subarray(0, 2).equals(gzipMagic)) return content.toString('base64');
  return content.toString('utf8');
}

const contentOf = (file: string) =>
  readFile(file).catch((error: Error) => {
    throw new Failure(`The user data can't be read: ${error.message}`, { cause: error });
  });

/** Tells what cloud-init says, which does not end the creation of a server. */
export function noteUserData(
  { note }: Cli,
  outcome: { status: string; errors: readonly string[] } | null,
): void {
  if (outcome === null || outcome.status === 'done') return;
  note(`The user data ended with the status ${outcome.status}.`);
  for (const error of outcome.errors) note(`  ${error}`);
}
