/** Counts connections by client, and finds one that can be closed. */
export interface ConnectionCounts<C> {
  /** All connections. */
  readonly count: number;
  countOf(name: string): number;
  /** Adds a connection, which is idle until `work` is called. */
  add(connection: C, name: string): void;
  /** Returns whether it was there. */
  remove(connection: C): boolean;
  work(connection: C): void;
  /** Marks a connection as idle after its work. */
  rest(connection: C): void;
  /**
   * The longest idle connection of the client with the most connections, among clients that have an
   * idle one, if it has more than `count`. Among equals, the client whose connections changed the
   * longest ago.
   */
  longestIdle(count: number): C | undefined;
}

interface Client<C> {
  name: string;
  count: number;
  /** The longest idle comes first. */
  idle: Set<C>;
}

/** All functions take constant time, except for `longestIdle`: see `most`. */
export function createConnectionCounts<C>(): ConnectionCounts<C> {
  const byName = new Map<string, Client<C>>();
  const holderOf = new Map<C, Client<C>>();
  /**
   * Clients with an idle connection by the number of their connections; the last that changed comes
   * last.
   */
  const withIdle = new Map<number, Set<Client<C>>>();

  function change(holder: Client<C>, by: 1 | 0 | -1): void {
    const before = withIdle.get(holder.count);
    before?.delete(holder);
    if (before?.size === 0) withIdle.delete(holder.count);
    holder.count += by;
    if (holder.idle.size === 0) return;
    const alike = withIdle.get(holder.count) ?? new Set();
    withIdle.set(holder.count, alike.add(holder));
  }

  /**
   * There are few different numbers: at most 88 for 4,000 connections, since 1 + 2 + … + 89 is
   * more.
   */
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
