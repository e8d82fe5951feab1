import { createHash } from 'node:crypto';

// PostgreSQL parses and plans a named statement once per connection, and not for each execution
// (its documentation, "PREPARE"). For a query over eight tables that is most of its time.

export interface StatementNames {
  /** The name under which to prepare a text; undefined if it should run without one. */
  of(text: string): string | undefined;
  /** Gives new names to all texts, because the prepared statements no longer fit the tables. */
  renew(): void;
}

/** Marks a statement whose best plan depends on its values, so that no plan can be reused. */
export const plannedByValues = '/* planned by its values */';

/**
 * Statements without parameters, without planning time, with several commands, or marked to be
 * planned each time.
 */
const isUnnamed = (text: string) =>
  /^\s*(begin|start|commit|rollback|savepoint|release|set|reset|lock|notify|listen|create|alter|drop)\b/i.test(
    text,
  ) ||
  text.includes(';') ||
  text.includes(plannedByValues);

/**
 * Names each text from its second use on. Each connection keeps what it has prepared, so there are
 * at most `most` names; further texts, such as inserts of a varying number of rows, are not named.
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
      if (names.size >= most || isUnnamed(text)) return undefined;
      if (seenOnce.delete(text)) return add(text);
      // A text that is used only once must not be kept forever.
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
