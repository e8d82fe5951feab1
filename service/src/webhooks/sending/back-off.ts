/** Seconds after each failed attempt. Further attempts have the last of them. */
const pauses = [5, 30, 120, 600, 1800, 3600, 7200, 10_800, 14_400, 21_600] as const;
/** Spreads the attempts for a receiver that has failed at one moment: each pause is this much longer or shorter at most. */
const spread = 0.1;
/** The longest pause that a receiver can ask for. */
const longestAskedSeconds = 3600;

/**
 * The seconds until the next attempt, after so many. A receiver that asks for a longer pause gets it, within limits.
 * @param random from 0 to 1
 */
export function pauseAfter(
  attempts: number,
  { asked = 0, random = Math.random() }: { asked?: number | undefined; random?: number } = {},
): number {
  const usual = pauses[Math.min(attempts, pauses.length) - 1] ?? pauses[0];
  const spreadOut = usual * (1 + spread * (2 * random - 1));
  return Math.max(spreadOut, Math.min(asked, longestAskedSeconds));
}
