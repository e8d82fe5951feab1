/** For work that nobody waits for. Whoever begins it shows its errors; an error that nobody expected is for the console. */
export function inBackground(work: Promise<unknown>): void {
  work.catch((error: unknown) => console.error(error));
}
