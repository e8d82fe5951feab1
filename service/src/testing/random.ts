/** Numbers that a seed determines: mulberry32, of 32 bits of state. */
export interface Random {
  /** A number from 0 up to, but not including, 1. */
  next(): number;
  /** An integer from `least` to `most`. */
  between(least: number, most: number): number;
  pick<T>(choices: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    pick<T>(choices: readonly T[]): T {
      const [choice] = choices.slice(between(0, choices.length - 1));
      if (choice === undefined) throw new RangeError('The list to choose from is empty.');
      return choice;
    },
    shuffled<T>(items: readonly T[]): T[] {
      return items
        .map((item) => ({ item, at: next() }))
        .sort((one, other) => one.at - other.at)
        .map(({ item }) => item);
    },
  };
}
