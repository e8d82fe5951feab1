import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';

// What is said of a command in sentences, in the words of its own definition.

/** Nouns whose word differs from that of the command. */
const words: Record<string, string> = {
  'ssh-key': 'SSH key',
  os: 'operating system',
  audit: 'entry of the audit log',
};
const plurals: Record<string, string> = {
  audit: 'entries of the audit log',
  drift: 'drift',
};

/** `servers`, `SSH keys`: what the noun of a verb is about. */
export function objectsOf(verb: CommandUnknownOpts): string {
  const noun = verb.parent?.name() ?? '';
  return plurals[noun] ?? `${objectOf(verb)}s`;
}

export const isUncountable = (verb: CommandUnknownOpts): boolean =>
  objectsOf(verb) === objectOf(verb);

/** `server`, `SSH key` */
export function objectOf(verb: CommandUnknownOpts): string {
  const noun = verb.parent?.name() ?? '';
  return words[noun] ?? noun.replaceAll('-', ' ');
}

/** The whole command, as it is typed: `berth server list`. */
export function commandOf(verb: CommandUnknownOpts): string {
  return verb.parent ? `${commandOf(verb.parent)} ${verb.name()}` : verb.name();
}

/** The options of these that were given, as they are typed: `-l env=prod`. */
export function givenOptions(
  verb: CommandUnknownOpts,
  isWanted: (option: Option) => boolean = () => true,
): string[] {
  return verb.options.filter(isWanted).flatMap((option) => {
    const name = option.attributeName();
    if (verb.getOptionValueSource(name) !== 'cli') return [];
    const flag = option.short ?? option.long ?? '';
    const values = [verb.getOptionValue(name) as unknown].flat();
    return values.map((value) => (value === true ? flag : `${flag} ${String(value)}`));
  });
}
