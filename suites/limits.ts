const fileEnd = new URL('file-end.ts', import.meta.url).href;
/** So that a test that hangs is named before its file is ended. */
const graceSeconds = 60;

/** How long a test may take, in seconds: one of the gate, and any other. */
export const longest = { gate: 180, long: 900 };

/** Arguments of `node --test` that end tests, and files, which take too long; in seconds. */
export function limits(testSeconds: number, fileSeconds = testSeconds + graceSeconds): string[] {
  return [`--test-timeout=${testSeconds * 1000}`, `--import=${fileEnd}?seconds=${fileSeconds}`];
}
