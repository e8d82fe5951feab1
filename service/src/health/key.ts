import { wayToReadable } from '../keys/unreadable.ts';
import { counted } from '../lib/counted.ts';
import { Degraded, type HealthCheck } from './checks.ts';

/** Whether what is encrypted can be read. The service goes on without. */
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
