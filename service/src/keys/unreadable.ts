import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { defineReconciler, type Reconciler } from '../reconciler-runtime/define.ts';
import type { Keyring } from './keyring.ts';
import { findUnreadable } from './rotation-queries.ts';

const everyMilliseconds = 60_000;

export interface UnreadableSecrets {
  /** The number that the last run found; 0 before the first one. */
  count(): number;
  reconciler: Reconciler<{ db: Db; log: Logger }>;
}

/** What to do about these values. The fingerprints identify the missing keys. */
export const wayToReadable = 'If you have a copy of the previous key, add its line to secret-key.';

/**
 * Counts the encrypted values that no key in secret-key can decrypt: a key was lost, or replaced by
 * another one. Each change of the number is logged. `observe` gets the number of each run.
 */
export function unreadableSecrets(
  keyring: Keyring,
  observe: (unreadable: number) => void,
): UnreadableSecrets {
  let count = 0;
  return {
    count: () => count,
    reconciler: defineReconciler({
      name: 'unreadable-secrets',
      every: { milliseconds: everyMilliseconds, first: 'now' },
      failure: 'The encrypted values could not be checked. The check will be retried.',
      async run({ db, log }) {
        const { count: unreadable, missingKeys } = await findUnreadable(db, keyring);
        if (unreadable > 0 && unreadable !== count) {
          log.warn(
            { unreadable, missing_keys: missingKeys },
            `Encrypted values cannot be read with any key in secret-key. ${wayToReadable} ` +
              'missing_keys has the fingerprints of their keys.',
          );
        }
        count = unreadable;
        observe(unreadable);
        return { unreadable };
      },
    }),
  };
}
