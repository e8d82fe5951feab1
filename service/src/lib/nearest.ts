import { distance } from 'fastest-levenshtein';

const furthest = 3;

/**
 * The known name that was probably meant: the most similar one, ignoring case, if at most one letter in three differs,
 * and at most `within` letters. Two swapped letters count as one difference, and another letter in a name of up to
 * four as two, since `frob` is hardly `from`.
 */
export function nearest(
  name: string,
  known: readonly string[],
  within = furthest,
): string | undefined {
  const rated = known
    // The distance is at least the difference in length. It is not computed for others: the name may have 256 KiB.
    .filter((one) => Math.abs(one.length - name.length) <= within)
    .map((one) => ({ one, far: apart(name.toLowerCase(), one.toLowerCase()) }));
  const [best] = rated.sort((a, b) => a.far - b.far);
  const most = Math.min(within, Math.floor(name.length / 3));
  return best && best.far <= most ? best.one : undefined;
}

function apart(one: string, other: string): number {
  const far = distance(one, other);
  if (far === 2 && sorted(one) === sorted(other)) return 1;
  return far === 1 && one.length === other.length && one.length <= 4 ? 2 : far;
}

const sorted = (text: string) => [...text].sort().join('');
