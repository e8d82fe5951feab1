import { wayToReadable } from '../keys/unreadable.ts';
import { counted } from '../lib/counted.ts';
import { Degraded, type HealthCheck } from './checks.ts';

/** Checks whether all encrypted values can be read. If not, the service is degraded, but works. */
export function keyCheck(countUnreadable: () => number): HealthCheck {
  return {
    name: 'secret key',
    async check() {
      const count = countUnreadable();
      if (count === 0) return;
      throw new Degraded(
        'secrets_unreadable',
        `${counted(count, 'encrypted value')} cannot be read with any key in secret-key. The key was lost or replaced. ` +
          `${wayToReadable} The log and "npm run doctor" name its fingerprint.`,
      );
    },
  };
}
