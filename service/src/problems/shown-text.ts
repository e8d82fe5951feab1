import { printable } from '../lib/printable.ts';

const mostCharacters = 40;

/**
 * A text of the caller as errors show it, on one line. It is cut, because it may be a secret: `curl -d @FILE` sends a file as
 * the name of a field.
 */
export function shownText(text: string): string {
  const cut = text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
  return printable(cut).replaceAll('\n', '\\u{a}');
}

/** The same for a name, which is quoted if spaces around it could not be seen. */
export function shownName(text: string): string {
  return text.trim() === text && text !== '' ? shownText(text) : `"${shownText(text)}"`;
}
