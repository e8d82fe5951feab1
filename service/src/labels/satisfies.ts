import type { Labels } from './queries.ts';
import type { Requirement, Selector } from './selector.ts';

/** Whether labels satisfy a selector, as `areMet` of a query says it. */
export function satisfies(labels: Labels, selector: Selector): boolean {
  return selector.every((requirement) => isMet(labels, requirement));
}

function isMet(labels: Labels, requirement: Requirement): boolean {
  const { key, operator } = requirement;
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case 'absent':
      return value === undefined;
    case 'in':
      return value !== undefined && requirement.values.includes(value);
    case 'notin':
      return value === undefined || !requirement.values.includes(value);
    case 'above':
      return isNumber(value) && BigInt(value) > BigInt(requirement.number);
    case 'below':
      return isNumber(value) && BigInt(value) < BigInt(requirement.number);
  }
}

const isNumber = (value: string | undefined): value is string =>
  value !== undefined && /^[0-9]+$/.test(value);
