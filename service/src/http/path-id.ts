import type { Problem } from '../problem.ts';

/**
 * The id in a path, from 1 to 2^53 - 1. Anything else names nothing that exists, so it throws what
 * `notFound` makes of it: a 404 in the words of the noun.
 */
export function pathId(text: string, notFound: (id: string) => Problem): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw notFound(shortened(text));
}

/** The text comes back in an error, so not all of it. */
function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
