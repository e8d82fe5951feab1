import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { commandOf, givenOptions, isUncountable, objectOf, objectsOf } from './describe.ts';

/** Options of lists that select nothing. */
const ofPrinting = new Set(['limit', 'columns', 'header', 'sort', 'allProjects']);
const isFilter = (option: Option) => !ofPrinting.has(option.attributeName());

/** What is said of a list that is empty: which filters select nothing, or how to make the first object. */
export function emptyList(verb: CommandUnknownOpts): string {
  const filters = givenOptions(verb, isFilter);
  if (filters.length > 0) return `No ${objectOf(verb)} matches ${filters.join(' ')}.`;
  if (verb.getOptionValueSource('limit') === 'cli') return 'There are none.';
  const create = verb.parent?.commands.find((one) => one.name() === 'create');
  if (!create) return `There ${isUncountable(verb) ? 'is' : 'are'} no ${objectsOf(verb)}.`;
  const needed = create.registeredArguments.filter(({ required }) => required);
  const example = [commandOf(create), ...needed.map((one) => one.name().toUpperCase())].join(' ');
  return `There are no ${objectsOf(verb)} yet. Create one with: ${example}`;
}
