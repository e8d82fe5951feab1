/**
 * An array of PostgreSQL's in text, of numbers, or of strings that need no quotes there, such as UUIDs.
 * Faster by far than node-postgres, which looks into each element for what is to be quoted.
 */
export const arrayOf = (values: readonly (number | string | null | undefined)[]): string =>
  `{${values.map((value) => value ?? 'NULL').join()}}`;
