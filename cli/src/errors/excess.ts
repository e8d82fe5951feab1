import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { commandOf } from '../verbs/describe.ts';
import { usageFailure } from './failure.ts';

/** Refuses words that a verb does not take, with the command that does. */
export function refuseExcess(verb: CommandUnknownOpts): void {
  const { registeredArguments: taken, args } = verb;
  const [first] = taken.some(({ variadic }) => variadic) ? [] : args.slice(taken.length);
  if (first === undefined) return;
  const command = commandOf(verb);
  const hasSearch = verb.options.some(({ long }) => long === '--search');
  const show = taken.length === 0 && verb.parent?.commands.find((one) => one.name() === 'show');
  const ways = [
    ...(hasSearch ? [`"${command} --search ${first}"`] : []),
    ...(show && show !== verb ? [`"${commandOf(show)} ${first}"`] : []),
  ];
  const names = taken.map((one) => `<${one.name()}>`).join(' ');
  throw usageFailure(
    taken.length === 0
      ? `"${command}" takes no name, and this is one: ${first}`
      : `"${command}" takes only ${names}, and this is one word more: ${first}`,
    ways.length > 0 ? `Try ${ways.join(', or ')}.` : 'Add --help to see how it is used.',
  );
}
