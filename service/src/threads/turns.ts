/** A waiter. `path` has the names of its groups, from the largest to its own. */
export interface Waiter {
  readonly path: readonly string[];
}

/**
 * A queue of waiters in a tree of groups. On each level the groups take turns; within the same
 * path, the longest waiting comes first.
 */
export interface Turns<W extends Waiter> {
  readonly size: number;
  add(waiter: W): void;
  remove(waiter: W): void;
  /** Removes and returns the waiter whose turn it is. */
  next(): W | undefined;
  /**
   * The waiter to drop for a new one with this path: the last one of the largest group, on the
   * first level where that group is larger than the new one's will be. Undefined if there is no
   * such level.
   */
  largestBeside(path: readonly string[]): W | undefined;
}

interface Group<W> {
  size: number;
  /** The group whose turn is next comes first. */
  groups: Map<string, Group<W>>;
  /** The waiters whose path ends here, the longest waiting first. */
  waiters: Set<W>;
}

export function createTurns<W extends Waiter>(): Turns<W> {
  const all = newGroup<W>();

  function remove(waiter: W): void {
    const way = groupsOf(all, waiter.path);
    if (!way.at(-1)?.waiters.delete(waiter)) return;
    for (const [level, group] of way.entries()) {
      group.size -= 1;
      if (group.size === 0) way[level - 1]?.groups.delete(waiter.path[level - 1] ?? '');
    }
  }

  return {
    get size() {
      return all.size;
    },
    add(waiter) {
      let group = all;
      group.size += 1;
      for (const name of waiter.path) {
        const inner = group.groups.get(name) ?? newGroup<W>();
        inner.size += 1;
        group.groups.set(name, inner);
        group = inner;
      }
      group.waiters.add(waiter);
    },
    remove,
    next() {
      const waiter = firstOf(all);
      if (!waiter) return undefined;
      remove(waiter);
      for (const [level, { groups }] of groupsOf(all, waiter.path).entries()) {
        toTheEnd(groups, waiter.path[level] ?? '');
      }
      return waiter;
    },
    largestBeside(path) {
      let group: Group<W> | undefined = all;
      for (const name of path) {
        const largest = largestOf(group);
        const own: Group<W> | undefined = group.groups.get(name);
        if (largest && (own?.size ?? 0) + 1 < largest.size) return lastOf(largest);
        if (!own) return undefined;
        group = own;
      }
      return undefined;
    },
  };
}

function newGroup<W>(): Group<W> {
  return { size: 0, groups: new Map(), waiters: new Set() };
}

/** The existing groups of a path, beginning with the root. */
function groupsOf<W>(all: Group<W>, path: readonly string[]): Group<W>[] {
  const found = [all];
  for (const name of path) {
    const inner = found.at(-1)?.groups.get(name);
    if (!inner) break;
    found.push(inner);
  }
  return found;
}

function toTheEnd<W>(groups: Map<string, Group<W>>, name: string): void {
  const group = groups.get(name);
  if (!group) return;
  groups.delete(name);
  groups.set(name, group);
}

function firstOf<W>({ groups, waiters }: Group<W>): W | undefined {
  const [inner] = groups.values();
  const [waiter] = waiters;
  return inner ? firstOf(inner) : waiter;
}

function lastOf<W>(group: Group<W>): W | undefined {
  const largest = largestOf(group);
  return largest ? lastOf(largest) : [...group.waiters].at(-1);
}

/** The largest group; of several, the first one. */
function largestOf<W>({ groups }: Group<W>): Group<W> | undefined {
  let largest: Group<W> | undefined;
  for (const group of groups.values()) {
    if (!largest || group.size > largest.size) largest = group;
  }
  return largest;
}
