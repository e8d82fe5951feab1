import { distance } from 'fastest-levenshtein';

const furthest = 3;

/**
 * The known name that was probably meant: the most similar one, ignoring case, if at most one letter in four differs,
 * and at most `within` letters. Two swapped letters count as one difference.
 */
export function nearest(
  name: string,
  known: readonly string[],
  within = furthest,
): string | undefined {
  const rated = known.map((one) => ({ one, far: apart(name.toLowerCase(), one.toLowerCase()) }));
  const [best] = rated.sort((a, b) => a.far - b.far);
  const most = Math.min(within, Math.ceil(name.length / 4));
  return best && best.far <= most ? best.one : undefined;
}

function apart(one: string, other: string): number {
  const far = distance(one, other);
  return far === 2 && sorted(one) === sorted(other) ? 1 : far;
}

const sorted = (text: string) => [...text].sort().join('');
