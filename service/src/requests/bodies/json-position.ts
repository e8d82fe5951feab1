const space = /[ \t\n\r]*/y;
const scalar =
  /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * The position at which a text is no longer JSON (RFC 8259), with line and column from 1: "line 2,
 * column 5".
 */
export function positionOfError(text: string): string {
  const before = text.slice(0, endOfJson(text)).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

/** Finds the position, which the messages of V8 omit for some errors. The nesting of the text is limited. */
function endOfJson(text: string): number {
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.test(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const takeSign = (sign: string) => {
    take(space);
    if (text[at] !== sign) return false;
    at += 1;
    return true;
  };
  const items = (end: string, item: () => boolean): boolean => {
    if (takeSign(end)) return true;
    do {
      if (!item()) return false;
    } while (takeSign(','));
    return takeSign(end);
  };
  const member = () => {
    take(space);
    return text[at] === '"' && take(scalar) && takeSign(':') && value();
  };
  const value = (): boolean => {
    if (takeSign('{')) return items('}', member);
    if (takeSign('[')) return items(']', value);
    return take(scalar);
  };
  if (value()) take(space);
  return at;
}
