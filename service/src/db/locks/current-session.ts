import type { LockSession } from './lock-session.ts';

/**
 * The single lock session of a process. It is opened when it is first needed, and reopened after it was lost.
 */
export interface CurrentSession {
  get(): Promise<LockSession>;
  /** Returns the session if it is open or being opened. Never rejects. */
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
