import { createRandom } from '../chaos/random.ts';

/** The items in an order that the seed determines. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = createRandom(seed);
  return items
    .map((item) => ({ item, at: random.next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
