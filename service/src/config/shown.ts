import { table } from '../lib/table.ts';
import type { Mistake } from './names.ts';
import { type Environment, type SettingName, settingNamed, settingNames } from './settings.ts';

/**
 * All settings with their values, the sources of these and their errors, as columns and as data. Secrets are omitted.
 */
export function shownSettings(env: Environment, mistakes: readonly Mistake[]) {
  const rows = settingNames.map((name) => {
    const { shownUnset } = settingNamed(name);
    const given = env[name];
    const value = given === undefined ? shownUnset.replaceAll('`', '') : shown(name, given);
    const { error } = mistakes.find(({ of }) => of.includes(name)) ?? {};
    const problem = error ? `${error.message} ${error.wayOut}` : null;
    return { name, value, from: given === undefined ? 'default' : 'set', problem };
  });
  const lines = rows.map(({ name, value, from, problem }) => [
    name,
    value,
    from === 'set' && problem !== null ? 'set, wrong' : from,
  ]);
  return { text: table([['SETTING', 'VALUE', 'FROM'], ...lines]), json: rows };
}

function shown(name: SettingName, given: string): string {
  const { secret } = settingNamed(name);
  if (secret === undefined || given === '') return given;
  return secret === 'password' ? withoutPassword(given) : '(hidden)';
}

/** Hides passwords, which can be before the host and in the query. A text that is not a URL is hidden completely. */
function withoutPassword(text: string): string {
  const url = URL.parse(text);
  if (!url?.host && !url?.pathname) return '(hidden)';
  if (url.password) url.password = '(hidden)';
  for (const name of [...url.searchParams.keys()]) {
    if (/password|sslkey/i.test(name)) url.searchParams.set(name, '(hidden)');
  }
  return decodeURI(url.href);
}

/** The table of docs/settings.md. */
export function settingsAsMarkdown(): string {
  const rows = settingNames.map((name) => {
    const { shownUnset, about } = settingNamed(name);
    return [`\`${name}\``, shownUnset, about];
  });
  const all = [['Variable', 'Default', 'Description'], ...rows];
  const widths = [0, 1, 2].map((at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  const line = (row: string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const [header = [], ...body] = all;
  return [line(header), rule, ...body.map(line)].join('\n');
}
