import * as types from '@babel/types';

// Mutators for the conditions of SQL, which StrykerJS does not have. It has no option for external
// mutators, so these are added to its own list.

/** The part of a Babel `NodePath` that a mutator needs. */
interface Path {
  node: types.Node;
}

interface Mutator {
  name: string;
  mutate(path: Path): Iterable<types.Node>;
}

/** Parts of a query without which it finds, or locks, something else. */
const clauses = new Set(['where', 'having', 'forUpdate', 'skipLocked', 'orderBy', 'limit']);

/** Replaces `query.where(…)` by `query`. */
export const queryClause: Mutator = {
  name: 'QueryClause',
  *mutate({ node }) {
    if (!types.isCallExpression(node) || !types.isMemberExpression(node.callee)) return;
    const { object, property } = node.callee;
    if (types.isIdentifier(property) && clauses.has(property.name)) yield types.cloneNode(object);
  },
};

/** Where a condition of SQL begins, and what neutralises it. */
const conditions = [
  [/\b(?:where|and) /g, 'true or '],
  [/\bor /g, 'false and '],
] as const;

/**
 * Replaces each condition in `sql` templates, one at a time, by true, or by false in an
 * alternative.
 */
export const sqlCondition: Mutator = {
  name: 'SqlCondition',
  *mutate({ node }) {
    if (!types.isTaggedTemplateExpression(node)) return;
    if (!types.isIdentifier(node.tag, { name: 'sql' })) return;
    for (const [index, { value }] of node.quasi.quasis.entries()) {
      for (const [begins, insertion] of conditions) {
        for (const { 0: word, index: at } of value.raw.matchAll(begins)) {
          if (isCommented(value.raw, at)) continue;
          const end = at + word.length;
          const raw = value.raw.slice(0, end) + insertion + value.raw.slice(end);
          yield withQuasi(node, index, raw);
        }
      }
    }
  },
};

const isCommented = (text: string, at: number) => /--.*$/.test(text.slice(0, at));

function withQuasi(node: types.TaggedTemplateExpression, index: number, raw: string): types.Node {
  const changed = types.cloneNode(node);
  const quasi = changed.quasi.quasis[index];
  if (!quasi) throw new RangeError(`The template has no part ${index}.`);
  quasi.value = { raw };
  return changed;
}

/** Adds ours to those of StrykerJS, for this process. */
export async function addSqlMutators(): Promise<void> {
  const list = new URL('mutators/mutate.js', import.meta.resolve('@stryker-mutator/instrumenter'));
  const { allMutators } = (await import(list.href)) as { allMutators: Mutator[] };
  allMutators.push(queryClause, sqlCondition);
}
