/**
 * Escapes everything except letters, marks and line ends, so that text of others can't control the
 * terminal.
 */
export function printable(text: string): string {
  return text.replace(
    /[^\P{C}\n]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
