import { mostLabels } from '@berth/contract/labels';
import { invalidFields } from '../problems/problem.ts';
import type { Labels } from './queries.ts';
import { InvalidSelector, parseSelector, type Selector } from './selector.ts';

/**
 * Applies a JSON Merge Patch (RFC 7396) to labels: null removes one, or all of them. Throws 422 if there are too many
 * then.
 */
export function patchLabels(before: Labels, patch: Record<string, string | null> | null): Labels {
  const merged = patch === null ? [] : Object.entries({ ...before, ...patch });
  const labels = Object.fromEntries(
    merged.filter((entry): entry is [string, string] => entry[1] !== null),
  );
  const count = Object.keys(labels).length;
  if (count <= mostLabels) return labels;
  const detail = `There can be at most ${mostLabels} labels; with these there would be ${count}.`;
  throw invalidFields([{ pointer: '/labels', detail }]);
}

/** Parses the `label_selector` of a list. A blank one, or none, selects all. Throws 422 if it is not valid. */
export const selectorOfList = (text: string | undefined): Selector | undefined =>
  text?.trim() ? readSelector(text) : undefined;

/** Parses `label_selector` of a query, or of a body. Throws 422 if it is not valid. */
export function readSelector(text: string, of: 'query' | 'body' = 'query'): Selector {
  const name = 'label_selector';
  try {
    return parseSelector(text);
  } catch (error) {
    if (!(error instanceof InvalidSelector)) throw error;
    const { message: detail } = error;
    const where = of === 'query' ? { parameter: name } : { pointer: `/${name}` };
    throw invalidFields([{ ...where, detail }]);
  }
}
