/** A field that was changed, in words. */
export interface Change {
  name: string;
  before: string;
  after: string;
}

/** Something else that is known about an entry. */
export interface Fact {
  name: string;
  value: string;
}

interface Details {
  changes: Change[];
  facts: Fact[];
}

const nothing = 'none';

/** The details of an entry: what was changed, with the values before and after, and the rest. */
export function detailsOf(details: Record<string, unknown> | null): Details {
  const found: Details = { changes: [], facts: [] };
  add(found, [], details ?? {});
  return found;
}

function add(found: Details, path: string[], values: object): void {
  for (const [key, value] of Object.entries(values)) {
    const inside = [...path, key];
    const name = sentence(inside);
    if (isChange(value))
      found.changes.push({ name, before: shown(value.before), after: shown(value.after) });
    else if (isObject(value)) add(found, inside, value);
    else found.facts.push({ name, value: shown(value) });
  }
}

/** `quota`, `max_servers` as `Quota max servers`. */
function sentence(path: readonly string[]): string {
  const words = path.join(' ').replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isChange = (value: unknown): value is { before: unknown; after: unknown } =>
  isObject(value) && 'before' in value && 'after' in value;

function shown(value: unknown): string {
  if (value === null || value === '') return nothing;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(shown).join(', ') || nothing;
  if (!isObject(value)) return String(value);
  const parts = Object.entries(value).map(([key, one]) => `${key}=${shown(one)}`);
  return parts.join(', ') || nothing;
}
