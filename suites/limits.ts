const fileEnd = new URL('file-end.ts', import.meta.url).href;
/** The margin after which a file is ended, so that a hanging test is reported first. */
export const graceSeconds = 60;

/** The timeout of a test in seconds: of the gate, and of any other. */
export const longest = { gate: 180, long: 900 };

/** Arguments of `node --test` that end tests and files after these seconds. */
export function limits(testSeconds: number, fileSeconds = testSeconds + graceSeconds): string[] {
  return [`--test-timeout=${testSeconds * 1000}`, `--import=${fileEnd}?seconds=${fileSeconds}`];
}
