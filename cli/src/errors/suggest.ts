import { BerthError } from '@berth/client';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { finders, namesGiven } from '../completion/names.ts';
import { nearest } from './nearest.ts';

const mostNames = 2000;

/** The names that were probably meant, if a name that was given does not exist. */
export async function suggestNames(
  cli: Cli,
  command: CommandUnknownOpts,
  error: unknown,
): Promise<string[]> {
  if (!(error instanceof BerthError) || (error.status !== 404 && error.status !== 422)) return [];
  const said = [error.detail, ...error.errors.map(({ detail }) => detail)].join('\n');
  const unknown = namesGiven(command).filter(({ value }) => said.includes(value));
  const meant = await Promise.all(unknown.map(({ noun, value }) => meantBy(cli, noun, value)));
  return meant.filter((name) => name !== undefined);
}

async function meantBy(cli: Cli, noun: string, value: string): Promise<string | undefined> {
  const names: string[] = [];
  try {
    for await (const { name } of finders[noun]?.(cli.berth(), '', cli) ?? []) {
      if (names.push(name) >= mostNames) break;
    }
  } catch (error) {
    // A caller who may not list the names gets the first error only.
    if (error instanceof BerthError) return undefined;
    throw error;
  }
  const found = nearest(value, names);
  return found === value ? undefined : found;
}
