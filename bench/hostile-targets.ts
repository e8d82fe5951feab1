/** What `npm run bench -- hostile` accepts. */
export const hostileTargets = {
  /** The longest time that the event loop is blocked, in milliseconds. */
  holdMs: 20,
  /** The highest ratio of a second customer's latency to that without the attack. */
  ratio: 3,
  /** The peak memory of the whole service, which needs a third of it without an attack. */
  megabytes: 1000,
};
