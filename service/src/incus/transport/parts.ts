import { eachWithPauses } from '../../lib/pause.ts';

/** Parsing a part of this length takes a fraction of a millisecond. */
const partLength = 2 ** 16;

/**
 * The characters between two objects of a list. A string can end like this, too: the part before it is then malformed.
 */
const between = '},{"';

/**
 * Parses a response of Incus like `JSON.parse`. If `metadata` of a long one is a list of objects, it is parsed in parts,
 * because a list of thousands of instances would block the event loop for tens of milliseconds. Throws `SyntaxError`.
 */
export async function parseInParts(text: string): Promise<unknown> {
  const parts = split(text);
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) return JSON.parse(text);
  try {
    const answer = JSON.parse(`${first}]}`);
    const list: unknown = answer.metadata;
    if (!Array.isArray(list) || Object.keys(answer).at(-1) !== 'metadata') return JSON.parse(text);
    await eachWithPauses(others, (part) => {
      for (const item of JSON.parse(`[${part}]`)) list.push(item);
    });
    const { metadata, ...rest } = JSON.parse(`{"metadata":[${last}`);
    for (const item of metadata) list.push(item);
    return { ...answer, ...rest };
  } catch (error) {
    // It is malformed, or was split elsewhere than between two objects of `metadata`.
    if (error instanceof SyntaxError) return JSON.parse(text);
    throw error;
  }
}

/** Splits a text between two objects of a list, each time after at least the length of a part. */
function split(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (;;) {
    const end = text.indexOf(between, start + partLength);
    if (end < 0) return [...parts, text.slice(start)];
    parts.push(text.slice(start, end + 1));
    start = end + 2;
  }
}
