export type Details = Record<string, unknown>;

/** Of each value that a change set anew, what it was and is; without `before`, of each that it has now. */
export function difference<T extends object>(before: T | null, after: T): Details {
  const entries = Object.entries(after).flatMap(([name, value]) => {
    const earlier: unknown = before === null ? null : before[name as keyof T];
    return earlier === value ? [] : [[name, { before: earlier, after: value }] as const];
  });
  return Object.fromEntries(entries);
}
