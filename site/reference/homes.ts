import { type OpenApi, operationsOf } from './document.ts';
import { nameOf } from './schemas.ts';

/** The section whose page describes each schema: the first one that uses it, also within another one. */
export function homesOf(document: OpenApi): Map<string, string> {
  const { schemas, responses } = document.components;
  const homes = new Map<string, string>();
  const enter = (value: unknown, tag: string) => {
    for (const name of referencesIn(value)) {
      if (name in responses) enter(responses[name], tag);
      if (!(name in schemas) || homes.has(name)) continue;
      homes.set(name, tag);
      enter(schemas[name], tag);
    }
  };
  for (const { name } of document.tags) {
    for (const { operation } of operationsOf(document)) {
      if (operation.tags[0] === name) enter(operation, name);
    }
  }
  return homes;
}

/** The names of all references in a value. */
function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === '$ref' && typeof part === 'string' ? [nameOf(part)] : referencesIn(part),
  );
}
