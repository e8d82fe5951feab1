/** The known name that was probably meant: the nearest one, if it differs by so many letters at most. */
export function nearest(
  name: string,
  known: readonly string[],
  within: number,
): string | undefined {
  const wanted = name.toLowerCase();
  const rated = known
    .filter((one) => Math.abs(one.length - name.length) <= within)
    .map((one) => ({ one, far: distance(wanted, one.toLowerCase()) }));
  const [best] = rated.sort((a, b) => a.far - b.far);
  return best && best.far <= within ? best.one : undefined;
}

/**
 * The edit distance: how many letters must be inserted, deleted, replaced or swapped with the next
 * one.
 */
function distance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= one.length; i += 1) {
    rows.push([i]);
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped =
        i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      rows[i]?.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (isSame ? 0 : 1),
          isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(one.length, other.length);
}
