import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';

// The service names fields of requests, because it is read by all kinds of clients. People at a terminal give options.

/** Fields whose option has another name. */
const others: Record<string, readonly string[]> = {
  allowed_destinations: ['allow-destination'],
  allowed_networks: ['network'],
  expires_at: ['expires'],
  from: ['after', 'created-after'],
  initialCommands: ['command'],
  is_admin: ['admin'],
  label_selector: ['label'],
  limits: ['max'],
  minimum: ['min'],
  // `--project` is where the request is sent.
  project_id: ['in-project', 'project'],
  protection: ['protect'],
  q: ['search'],
  source: ['image'],
  to: ['before', 'created-before'],
  traffic_allowance: ['traffic-allowance', 'allowance', 'traffic'],
};

/** What the option of a field is probably called: `os_id` is `--os`, and `ssh_keys` is `--ssh-key`. */
function namesOf(field: string): readonly string[] {
  const known = others[field];
  if (known) return known;
  const name = field.replaceAll('_', '-');
  return [name, name.replace(/-ids?$/, ''), name.replace(/s$/, '')];
}

/** The option of a field of a request, as it is typed, and otherwise the field. */
export function optionOf(command: CommandUnknownOpts | undefined, field: string): string {
  const parts = field.split('.');
  const named = parts.filter((part) => !/^\d+$/.test(part));
  const [first = '', ...more] = named;
  const longer = more.map((_, at) => ['', ...more.slice(0, at + 1)].join('-')).reverse();
  const wanted = [
    ...[...longer, ''].flatMap((end) => namesOf(first).map((name) => `${name}${end}`)),
    ...namesOf(named.at(-1) ?? ''),
  ];
  const find = (name: string) => command?.options.find(({ long }) => long === `--${name}`);
  const option = wanted.map(find).find((one) => one !== undefined);
  return command && option ? `${option.long}${whichOne(command, option, parts)}` : field;
}

/** Which of the values of an option it is: the key of a pair, or its place if there are several. */
function whichOne(command: CommandUnknownOpts, option: Option, [, ...inside]: string[]): string {
  const part = inside.join('.');
  if (option.flags.includes('=') && part !== '') return ` ${part}`;
  const given: unknown = command.getOptionValue(option.attributeName());
  const isSeveral = Array.isArray(given) && given.length > 1;
  return isSeveral && /^\d+$/.test(part) ? ` (number ${Number(part) + 1})` : '';
}

/** A text of the service, with options in place of the parameters that it tells to add. */
export const withOptions = (command: CommandUnknownOpts | undefined, text: string): string =>
  text.replaceAll(/\bthe parameter (\w+)/g, (whole, field: string) => {
    const option = optionOf(command, field);
    return option === field ? whole : option;
  });
