import { BerthError } from '@berth/client';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { finders, namesGiven } from '../completion/names.ts';
import { Failure } from './failure.ts';
import { nearest } from './nearest.ts';

const mostNames = 2000;

/** What people choose from, which are few. */
const choices: Record<string, string> = {
  os: 'operating systems',
  location: 'locations',
  size: 'sizes',
};
const mostChoices = 30;

/** What was probably meant, and what there is, if a name that was given does not exist. */
export async function suggestions(
  cli: Cli,
  command: CommandUnknownOpts,
  errors: readonly unknown[],
): Promise<string[]> {
  const said = errors
    .filter(isRefusal)
    .flatMap(({ detail, errors }) => [detail, ...errors.map((one) => one.detail)]);
  const unknown = namesGiven(command).filter(({ value }) =>
    said.some((sentence) => sentence.includes(value)),
  );
  const nouns = [...new Set(unknown.map(({ noun }) => noun))];
  const names = new Map(
    await Promise.all(nouns.map(async (noun) => [noun, await namesOf(cli, noun)] as const)),
  );
  // A sentence can name what exists, too: a size is too large in local.
  const isUnknown = (noun: string) =>
    unknown.some((one) => one.noun === noun && !names.get(noun)?.includes(one.value));
  const offered = [...names].flatMap(([noun, all]) =>
    isUnknown(noun) && choices[noun] && all.length > 0 && all.length <= mostChoices
      ? [`The ${choices[noun]} are ${all.join(', ')}.`]
      : [],
  );
  const meant = unknown.map(({ noun, value }) => ({
    value,
    name: nearest(value, names.get(noun) ?? []),
  }));
  const others = meant.flatMap(({ value, name }) => (name && name !== value ? [name] : []));
  return [...[...new Set(others)].map((name) => `Did you mean ${name}?`), ...offered];
}

/** Whether a service may have refused a name. */
const isRefusal = (error: unknown): error is BerthError =>
  error instanceof BerthError && (error.status === 404 || error.status === 422);

async function namesOf(cli: Cli, noun: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of finders[noun]?.(cli.berth(), '', cli) ?? []) {
      if (names.push(name) >= mostNames) break;
    }
  } catch (error) {
    // A caller who may not list the names, or is not signed in, gets the first error only.
    if (error instanceof BerthError || error instanceof Failure) return [];
    throw error;
  }
  return names;
}
