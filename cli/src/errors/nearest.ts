import { distance } from 'fastest-levenshtein';

/** The name that was probably meant: one with few different letters, or the only one that it begins. */
export function nearest(asked: string, names: readonly string[]): string | undefined {
  const wanted = asked.toLowerCase();
  // Two letters in the wrong order count as two.
  const most = Math.min(3, Math.ceil(wanted.length / 2));
  const [best] = names
    .map((name) => ({ name, apart: distance(wanted, name.toLowerCase()) }))
    .filter(({ apart }) => apart <= most)
    .sort((one, other) => one.apart - other.apart);
  if (best) return best.name;
  const [only, ...others] = names.filter((name) => name.toLowerCase().startsWith(wanted));
  return others.length === 0 ? only : undefined;
}
