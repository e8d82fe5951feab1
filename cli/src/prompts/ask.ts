import type * as inquirer from '@inquirer/prompts';
import type { Io, Output } from '../io.ts';

type Prompts = typeof inquirer;

interface PromptContext {
  input: NodeJS.ReadableStream;
  output: Output;
  signal: AbortSignal;
}

/** Asks with prompts, which are loaded only now. They are written to standard error. */
export async function ask<T>(
  { stdin, stderr, signal }: Io,
  prompt: (prompts: Prompts, context: PromptContext) => Promise<T>,
): Promise<T> {
  const prompts = await import('@inquirer/prompts');
  return await prompt(prompts, { input: stdin, output: stderr, signal });
}
