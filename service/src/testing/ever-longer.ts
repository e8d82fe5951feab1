const mostSeconds = 60;

/**
 * Retries a test of something that must be done within a time, with more seconds each time, from
 * 1.5 to 60, because a busy machine may be too slow for the first. Returns its result, or throws the last error.
 */
export async function everLonger<T>(attempt: (seconds: number) => Promise<T>): Promise<T> {
  for (let seconds = 1.5; ; seconds = Math.min(seconds * 4, mostSeconds)) {
    try {
      return await attempt(seconds);
    } catch (error) {
      if (seconds === mostSeconds) throw error;
    }
  }
}
