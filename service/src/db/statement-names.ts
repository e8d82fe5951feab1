import { createHash } from 'node:crypto';

// PostgreSQL parses and plans a statement that has a name once per connection, not at each execution (its
// documentation, "PREPARE"). For a query over eight tables that is most of its time.

export interface StatementNames {
  /** The name to prepare a text under; undefined where it is to be run without one. */
  of(text: string): string | undefined;
  /** Makes other names of all texts: the prepared ones no longer fit the tables. */
  renew(): void;
}

/** In a statement: of which rows there are many hangs on its values, so that no plan is good for all of them. */
export const plannedByValues = '/* planned by its values */';

/** Statements that take no parameters and no time to plan, that hold several commands, or that want a plan each time. */
const isNotWorthIt = (text: string) =>
  /^\s*(begin|start|commit|rollback|savepoint|release|set|reset|lock|notify|listen|create|alter|drop)\b/i.test(
    text,
  ) ||
  text.includes(';') ||
  text.includes(plannedByValues);

/**
 * Names each text from its second use on. Each connection keeps what it has prepared, so there are at most `most`
 * names, first come, first served; texts that vary, such as inserts of any number of rows, are not named
 * beyond that.
 */
export function createStatementNames(most = 1000): StatementNames {
  const seenOnce = new Set<string>();
  const names = new Map<string, string>();
  let generation = 0;

  function add(text: string): string {
    const hash = createHash('sha256').update(text).digest('base64url').slice(0, 32);
    const name = `berth_${generation}_${hash}`;
    names.set(text, name);
    return name;
  }

  return {
    of(text) {
      const name = names.get(text);
      if (name !== undefined) return name;
      if (names.size >= most || isNotWorthIt(text)) return undefined;
      if (seenOnce.delete(text)) return add(text);
      // What is seen once only must not be kept for ever.
      if (seenOnce.size >= most) seenOnce.clear();
      seenOnce.add(text);
      return undefined;
    },
    renew() {
      generation += 1;
      names.clear();
    },
  };
}
