export type Details = Record<string, unknown>;

/** The old and the new value of each field that changed; without `before`, the new values only. */
export function difference<T extends object>(before: T | null, after: T): Details {
  const entries = Object.entries(after).flatMap(([name, value]) => {
    const earlier: unknown = before === null ? null : before[name as keyof T];
    return earlier === value ? [] : [[name, { before: earlier, after: value }] as const];
  });
  return Object.fromEntries(entries);
}
