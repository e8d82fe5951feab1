/** Who holds how many connections, and who of them can spare one. */
export interface Holders<C> {
  /** Of all. */
  readonly count: number;
  countOf(name: string): number;
  /** Idle until it works. */
  add(connection: C, name: string): void;
  /** Answers whether it was there. */
  remove(connection: C): boolean;
  work(connection: C): void;
  /** It has done its work, and is idle from now on. */
  rest(connection: C): void;
  /**
   * The longest idle one of who holds most of those who have an idle one, if that is more than `count`. Where several
   * hold as many: of the one whose connections changed the longest ago.
   */
  longestIdle(count: number): C | undefined;
}

interface Holder<C> {
  name: string;
  count: number;
  /** The longest idle first. */
  idle: Set<C>;
}

/** Each takes as long however many there are, but for `longestIdle`: see `most`. */
export function createHolders<C>(): Holders<C> {
  const byName = new Map<string, Holder<C>>();
  const holderOf = new Map<C, Holder<C>>();
  /** Those who have an idle one, by how many they hold; who changed last comes last. */
  const withIdle = new Map<number, Set<Holder<C>>>();

  function change(holder: Holder<C>, by: 1 | 0 | -1): void {
    const before = withIdle.get(holder.count);
    before?.delete(holder);
    if (before?.size === 0) withIdle.delete(holder.count);
    holder.count += by;
    if (holder.idle.size === 0) return;
    const alike = withIdle.get(holder.count) ?? new Set();
    withIdle.set(holder.count, alike.add(holder));
  }

  /** Different counts are few: of 4,000 connections 88 at most, since 1 + 2 + … + 89 are more. */
  function most(): number {
    let most = 0;
    for (const count of withIdle.keys()) most = Math.max(most, count);
    return most;
  }

  return {
    get count() {
      return holderOf.size;
    },
    countOf: (name) => byName.get(name)?.count ?? 0,
    add(connection, name) {
      const holder = byName.get(name) ?? { name, count: 0, idle: new Set() };
      byName.set(name, holder);
      holderOf.set(connection, holder);
      holder.idle.add(connection);
      change(holder, 1);
    },
    remove(connection) {
      const holder = holderOf.get(connection);
      if (!holder) return false;
      holderOf.delete(connection);
      holder.idle.delete(connection);
      change(holder, -1);
      if (holder.count === 0) byName.delete(holder.name);
      return true;
    },
    work(connection) {
      const holder = holderOf.get(connection);
      if (!holder?.idle.delete(connection)) return;
      if (holder.idle.size === 0) change(holder, 0);
    },
    rest(connection) {
      const holder = holderOf.get(connection);
      if (!holder) return;
      holder.idle.add(connection);
      change(holder, 0);
    },
    longestIdle(count) {
      const held = most();
      if (held <= count) return undefined;
      const [holder] = withIdle.get(held) ?? [];
      const [connection] = holder?.idle ?? [];
      return connection;
    },
  };
}
