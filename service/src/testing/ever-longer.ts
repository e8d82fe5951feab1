const mostSeconds = 60;

/**
 * For what must be done before some time is over: tries it with ever more seconds, from 1.5 to 60, since a busy machine
 * may not get there in the first ones. Throws what the last try threw.
 */
export async function everLonger(attempt: (seconds: number) => Promise<void>): Promise<void> {
  for (let seconds = 1.5; ; seconds = Math.min(seconds * 4, mostSeconds)) {
    try {
      return await attempt(seconds);
    } catch (error) {
      if (seconds === mostSeconds) throw error;
    }
  }
}
