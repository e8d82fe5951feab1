import { createHash } from 'node:crypto';

// PostgreSQL parses and plans a named statement once per connection, instead of for each execution (its documentation,
// "PREPARE"). For a query with eight tables this is most of its time. See docs/decisions/0019-prepared-statements.md.

/** The name of a prepared statement, and the generation to which it belongs. */
export interface StatementName {
  name: string;
  generation: number;
}

export interface StatementNames {
  /** The number of times that the names were renewed. */
  readonly generation: number;
  /** The number of names in use. */
  readonly size: number;
  /** The maximum number of names. */
  readonly limit: number;
  /** The name for preparing a text; undefined if it should run without one. */
  of(text: string): StatementName | undefined;
  /**
   * Gives new names to all texts, because a statement of this generation no longer fits the tables. Does nothing if the
   * names were already renewed.
   */
  renew(generation: number): void;
}

/** Marks a statement whose best plan depends on its values, so that no plan can be reused. */
export const plannedByValues = '/* planned by its values */';

/** Marks a statement whose text is rarely repeated, so that a name would only use memory. */
export const textVaries = '/* its text varies */';

/** Whether a statement runs without a name: it needs no planning, has several commands, or is marked. */
const isUnnamed = (text: string) =>
  /^\s*(begin|start|commit|rollback|savepoint|release|set|reset|lock|notify|listen|create|alter|drop)\b/i.test(
    text,
  ) ||
  text.includes(';') ||
  text.includes(plannedByValues) ||
  text.includes(textVaries);

/**
 * The maximum number of prepared statements of each connection. The code has about 400 statements, so that all that do
 * not vary can have a name.
 */
const mostNames = 500;

/**
 * Names each text from its second use on. Each connection keeps its prepared statements, so the number of names is
 * limited; further texts get no name, so PostgreSQL plans them at each execution.
 */
export function createStatementNames(limit = mostNames): StatementNames {
  const seenOnce = new Set<string>();
  const names = new Map<string, StatementName>();
  let generation = 0;

  function add(text: string): StatementName {
    const hash = createHash('sha256').update(text).digest('base64url').slice(0, 32);
    const named = { name: `berth_${generation}_${hash}`, generation };
    names.set(text, named);
    return named;
  }

  return {
    get generation() {
      return generation;
    },
    get size() {
      return names.size;
    },
    limit,
    of(text) {
      const named = names.get(text);
      if (named) return named;
      if (names.size >= limit || isUnnamed(text)) return undefined;
      if (seenOnce.delete(text)) return add(text);
      // The texts are forgotten from time to time, because those that are used only once must not be kept forever.
      if (seenOnce.size >= limit) seenOnce.clear();
      seenOnce.add(text);
      return undefined;
    },
    renew(outdated) {
      if (outdated !== generation) return;
      generation += 1;
      names.clear();
    },
  };
}
