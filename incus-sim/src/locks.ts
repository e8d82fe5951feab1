import type { Instance, Lock } from './model.ts';
import type { Work } from './operations.ts';
import { isRefusal, refuse } from './refusal.ts';

interface Wish {
  action: Lock['action'];
  /** Whether a second action of the same kind waits for the first, instead of failing as busy. */
  reusable?: boolean;
  /** It may continue under a lock of these actions. */
  inherits?: Lock['action'][];
}

/**
 * Locks an instance for an action, as Incus does. Another action is refused as busy. A second one
 * of the same kind waits for the first, and then returns false.
 */
export async function locked(
  work: Work,
  instance: Instance,
  { action, reusable = false, inherits = [] }: Wish,
  act: () => Promise<void>,
): Promise<boolean> {
  const held = instance.lock;
  if (held?.action === action && !(reusable && held.reusable)) {
    if (await work.until(held.ended)) return false;
  } else if (held && (held.action === action || inherits.includes(held.action))) {
    await act();
    return true;
  }
  if (instance.lock) refuse(`Instance is busy running a "${instance.lock.action}" operation`);
  await hold(instance, { action, reusable }, act);
  return true;
}

/** Locks an instance that is not locked. */
export async function hold(
  instance: Instance,
  kind: Omit<Lock, 'ended'>,
  act: () => Promise<void>,
): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<boolean>();
  const lock: Lock = { ...kind, ended };
  instance.lock = lock;
  let succeeded = false;
  try {
    await act();
    succeeded = true;
  } finally {
    if (instance.lock === lock) delete instance.lock;
    resolve(succeeded);
  }
}

/** Incus names the subject only if another operation holds the lock. */
export function inWordsOf(what: string) {
  return (error: unknown): never => {
    if (!isRefusal(error) || !error.message.startsWith('Instance is busy')) throw error;
    return refuse(`${what}: ${error.message}`, error.status);
  };
}
