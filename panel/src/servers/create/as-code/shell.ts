import { quote } from 'shell-quote';

/** What no shell changes, so that most words are shown as they are. */
const plain = /^[\w@%+:,./-][\w@%+=:,./-]*$/;

/** A text as one word of a shell. The library would use backslashes where single quotes are easier to read. */
export function word(text: string): string {
  if (plain.test(text)) return text;
  return text.includes("'") ? quote([text]) : `'${text}'`;
}

/** A command over several lines, of which each has an option. */
export const inLines = (parts: readonly string[]): string => parts.join(' \\\n  ');

/** A document that the shell hands to a command as it is, below a word that no line of it is. */
export function hereDocument(command: string, text: string): string {
  const lines = text.split('\n');
  let end = 'END';
  while (lines.includes(end)) end += '_';
  const closed = text.endsWith('\n') ? text : `${text}\n`;
  return `${command} << '${end}'\n${closed}${end}\n`;
}
