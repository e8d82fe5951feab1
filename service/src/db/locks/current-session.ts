import type { LockSession } from './lock-session.ts';

/** The one lock session of a process: opened when it is first needed, and anew once it was lost. */
export interface CurrentSession {
  get(): Promise<LockSession>;
  /** The session if one is open, or about to be. Never rejects. */
  ifOpen(): Promise<LockSession | undefined>;
}

export function currentSession(open: () => Promise<LockSession>): CurrentSession {
  let opening: Promise<LockSession> | undefined;

  async function get(): Promise<LockSession> {
    opening ??= open();
    const asked = opening;
    try {
      const session = await asked;
      if (!session.lost.aborted) return session;
    } catch (error) {
      if (opening === asked) opening = undefined;
      throw error;
    }
    if (opening === asked) opening = undefined;
    return await get();
  }

  return {
    get,
    async ifOpen() {
      const [last] = await Promise.allSettled([opening]);
      return last.status === 'fulfilled' ? last.value : undefined;
    },
  };
}
