/** What others wrote must not steer the terminal: all but letters, marks and line ends is spelled out. */
export function printable(text: string): string {
  return text.replace(
    /[^\P{C}\n]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
