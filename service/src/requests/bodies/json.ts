import { Problem } from '../../problems/problem.ts';
import { shownText } from '../../problems/shown-text.ts';
import { boundJson } from './bounds.ts';
import { positionOfError } from './json-position.ts';
import { pointerPart } from './pointer.ts';

/**
 * Parses JSON, and refuses duplicate keys. Throws `malformed_request` (400), and `body_too_large` (413) for too many
 * values.
 */
export function parseJson(text: string): unknown {
  boundJson(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const detail = `The body is not valid JSON: see ${positionOfError(text)}.`;
    throw new Problem('malformed_request', detail, { cause: error });
  }
  refuseDuplicateKeys(text);
  return value;
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/g;

/** Refuses duplicate keys, because parsers differ in which one they use. The text must be valid JSON. */
function refuseDuplicateKeys(text: string): void {
  // The keys of each object that is open; undefined for an array.
  const open: (Set<string> | undefined)[] = [];
  let keyMayFollow = false;
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token !== ',' && keyMayFollow) addKey(open.at(-1), JSON.parse(token));
    keyMayFollow = token === '{' || token === ',';
  }
}

function addKey(keys: Set<string> | undefined, key: string): void {
  if (keys?.has(key)) throw duplicateField(key);
  keys?.add(key);
}

export function duplicateField(name: string): Problem {
  const pointer = `/${pointerPart(name)}`;
  const detail = `The field "${shownText(name)}" is given more than once.`;
  const errors = [{ pointer, detail: 'Must be given once.' }];
  return new Problem('malformed_request', detail, { errors });
}
